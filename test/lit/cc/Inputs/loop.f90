program loop
  use mpi_f08
  implicit none
  integer :: i, total
  call MPI_Init()
  do i = 1, 10
    call MPI_Barrier(MPI_COMM_WORLD)
    if (mod(i, 3) == 1) call MPI_Allreduce(i, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  end do
  print *, 'total', total
  call MPI_Finalize()
end program
