! A program with its own MPI_Send of the module mpi_f08, in Fortran: its buffer is of any type and rank.
program own
  use mpi_f08
  implicit none
  integer :: sent, elements, v(4, 4), rank
  common /counts/ sent, elements
  v = 7
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) call MPI_Send(v(2:3, :), 8, MPI_INTEGER, 1, 4, MPI_COMM_WORLD)
  if (rank == 1) v = 0
  if (rank == 1) call MPI_Recv(v(3:4, :), 8, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  print *, 'own', rank, sent, elements, sum(v)
  call MPI_Finalize()
end program

subroutine MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
  use mpi_f08, not_this => MPI_Send_f08ts
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer, intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  integer :: sent, elements
  common /counts/ sent, elements
  sent = sent + 1
  elements = size(buf)
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine
