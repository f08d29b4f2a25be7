module ops
  use mpi_f08
contains
  subroutine mysum(a, b, n, t)
    use iso_c_binding
    type(c_ptr), value :: a, b
    integer :: n
    type(MPI_Datatype) :: t
    integer, pointer :: x(:), y(:)
    call c_f_pointer(a, x, [n]); call c_f_pointer(b, y, [n])
    y = x + y
  end subroutine
end module
program t
  use mpi_f08
  use ops
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ierr, r, n, i, nm, v
  type(MPI_Request) :: req(2)
  type(MPI_Status) :: st, sts(2)
  type(MPI_Comm) :: c
  type(MPI_Op) :: op
  type(c_ptr) :: mem
  procedure(MPI_User_function), pointer :: fp
  real :: a(10), b(10)
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  logical :: flag
  integer(MPI_ADDRESS_KIND) :: attr
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, r)
  call MPI_Comm_size(comm=MPI_COMM_WORLD, size=n, ierror=ierr)
  a = r
  call MPI_Allreduce(MPI_IN_PLACE, a, 10, MPI_REAL, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Isend(a, 10, MPI_REAL, mod(r+1,n), 3, MPI_COMM_WORLD, req(1))
  call MPI_Irecv(b, 10, MPI_REAL, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, sts)
  call MPI_Isend(a, 10, MPI_REAL, mod(r+1,n), 3, MPI_COMM_WORLD, req(1))
  call MPI_Irecv(b, 10, MPI_REAL, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, MPI_STATUSES_IGNORE)
  call MPI_Sendrecv(a,10,MPI_REAL,mod(r+1,n),4,b,10,MPI_REAL,MPI_ANY_SOURCE,4,MPI_COMM_WORLD,MPI_STATUS_IGNORE)
  call MPI_Get_processor_name(name, nm)
  call MPI_Comm_dup(MPI_COMM_WORLD, c)
  call MPI_Op_create(mysum, .true., op)
  v = 2
  call MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, op, c)
  call MPI_Op_free(op)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attr, flag)
  call MPI_Comm_set_name(c, 'my name')
  call MPI_Alloc_mem(100_MPI_ADDRESS_KIND, MPI_INFO_NULL, mem)
  if (r == 0) print *, 'f08', a(1), v, sts(2)%MPI_TAG, c == MPI_COMM_WORLD, c /= MPI_COMM_NULL, flag, c_associated(mem), len_trim(name) == nm
  call MPI_Comm_free(c)
  call MPI_Finalize()
end program
