module Halo_mod
  use mpi
contains
  subroutine ExchangeHalo(n)
    integer, intent(in) :: n
    integer :: i, ierr
    do i = 1, n
      call inner(i)
    end do
  contains
    subroutine inner(k)
      integer, intent(in) :: k
      if (mod(k, 2) == 0) then
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
      else
        call MPI_Barrier(MPI_COMM_SELF, ierr)
      end if
    end subroutine
  end subroutine
end module
program Main_Prog
  use halo_mod
  integer :: ierr
  call MPI_Init(ierr)
  call ExchangeHalo(4)
  select case (ierr)
  case (0)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  case default
    call MPI_Barrier(MPI_COMM_SELF, ierr)
  end select
  call MPI_Finalize(ierr)
end program
