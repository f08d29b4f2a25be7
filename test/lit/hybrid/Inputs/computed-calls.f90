! Procedure pointers, and procedures that are passed.
module work
  implicit none
  abstract interface
    subroutine task(i)
      integer :: i
    end subroutine
  end interface
  type :: solver
    procedure(task), pointer, nopass :: step => null()
  end type
contains
  subroutine probe(tag)
    use mpi
    integer :: tag, status(MPI_STATUS_SIZE), ierror
    logical :: flag
    call MPI_Iprobe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, flag, status, ierror)
  end subroutine
  subroutine other(i)
    integer :: i
    call probe(i)
  end subroutine
  subroutine apply(f)
    use mpi
    procedure(task) :: f
    integer :: ierror
    call MPI_Barrier(MPI_COMM_SELF, ierror)
    call f(1)
  end subroutine
end module

program computed
  use mpi
  use work
  implicit none
  type(solver) :: s
  integer :: ierror, i
  call MPI_Init(ierror)
  s%step => other
  call probe(0)
  call s%step(1)
  call probe(0)
  do i = 1, 3
    call s%step(i)
  end do
  call apply(probe)
  call MPI_Finalize(ierror)
end program
