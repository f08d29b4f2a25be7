! Built by the compiler of the MPI's own modules, and linked into a program of flang's.
subroutine foreign(v, n, wrong)
  use mpi_f08
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: v(n, n)
  integer, intent(out) :: wrong
  integer :: rank, size, all, w(n, n)
  type(MPI_Request) :: r(2)
  integer(MPI_COUNT_KIND) :: many
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  w = 0
  many = n
  call MPI_Irecv(w(2, :), n, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, r(1))
  call MPI_Isend(v(3, :), many, MPI_INTEGER, mod(rank + 1, size), 1, MPI_COMM_WORLD, r(2))
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
  wrong = count(w(2, :) /= v(3, :) + 100 * (mod(rank + size - 1, size) - rank))
  all = 1
  call MPI_Allreduce(MPI_IN_PLACE, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (all /= size) wrong = wrong + 100
end subroutine
