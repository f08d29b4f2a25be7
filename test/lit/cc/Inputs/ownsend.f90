! A program with its own MPI_Send, which uses the module all the same.
program own
  use mpi
  implicit none
  integer :: sent, error, rank, v(3)
  common /counts/ sent
  sent = 0
  v = 5
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) call MPI_Send(v, 3, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, error)
  if (rank == 1) call MPI_Recv(v, 3, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  print *, 'own', rank, sent
  call MPI_Finalize(error)
end program

subroutine MPI_Send(buf, count, datatype, dest, tag, comm, error)
  use mpi
  implicit none
  integer :: count, datatype, dest, tag, comm, error, buf(count), sent
  common /counts/ sent
  sent = sent + 1
  call PMPI_Send(buf, count, datatype, dest, tag, comm, error)
end subroutine
