program t
  use mpi
  implicit none
  type pt
    real :: x(3)
    integer :: k
  end type
  integer :: ierr, r, n, req(2), st(MPI_STATUS_SIZE), sts(MPI_STATUS_SIZE,2), i, nm
  real :: a(10), b(10), s
  real, allocatable :: al(:,:)
  real, pointer :: pp(:)
  character(len=20) :: str
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  complex(8) :: z(4)
  logical :: flag
  type(pt) :: p
  integer(MPI_ADDRESS_KIND) :: ad, attr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  allocate(al(4,4), pp(5)); al = r; pp = r; a = r; z = r; str = 'x'; p%k = 3
  call MPI_Allreduce(MPI_IN_PLACE, a, 10, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(al, 16, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(al(1:2,1), 2, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(al(2,1:4), 4, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(pp, 5, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(str, 20, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(p, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(z(2), 2, MPI_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(5, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Get_address(p%k, ad, ierr)
  call MPI_Reduce(s, s, 0, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, ierror=ierr)
  call MPI_Isend(a, 10, MPI_REAL, mod(r+1,n), 3, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Irecv(b, 10, MPI_REAL, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, sts, ierr)
  call MPI_Sendrecv(a,10,MPI_REAL,mod(r+1,n),4,b,10,MPI_REAL,MPI_ANY_SOURCE,4,MPI_COMM_WORLD,MPI_STATUS_IGNORE,ierr)
  call MPI_Get_processor_name(name, nm, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attr, flag, ierr)
  if (MPI_Wtime() < 0 .or. nm < 1 .or. .not. flag) print *, 'bad'
  if (r == 0) print *, 'sum', a(1), sts(MPI_SOURCE,2) >= 0, MPI_Aint_diff(MPI_Aint_add(ad, 8_MPI_ADDRESS_KIND), ad)
  call MPI_Finalize(ierr)
end program
