program mixed
  use mpi_f08
  implicit none
  integer :: v(5, 5), i, rank, wrong
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  v = reshape([(i + 100 * rank, i = 1, 25)], [5, 5])
  call foreign(v, 5, wrong)
  call MPI_Bcast(v(1, :), 5, MPI_INTEGER, 0, MPI_COMM_WORLD)
  print *, 'mixed', wrong, sum(v(1, :))
  call MPI_Finalize()
end program
