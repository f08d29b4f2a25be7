! Of a program with its own MPI_Send and MPI_Recv (profiling.c).
program profiling
  use mpi_f08
  implicit none
  integer :: sent, received, v(4, 4), rank
  common /counts/ sent, received
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  v = rank
  if (rank == 0) call MPI_Send(v(2, :), 4, MPI_INTEGER, 1, 5, MPI_COMM_WORLD)
  if (rank == 1) call MPI_Recv(v(3, :), 4, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  print *, 'counted', rank, sent, received, sum(v)
  call MPI_Finalize()
end program
