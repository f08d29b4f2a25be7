! The same 2D stencil as fstencil_mpifh with `use mpi_f08`: handles and statuses of derived type, optional ierror left
! out, and entry points of other names.
program fstencil_f08
  use mpi_f08
  implicit none
  integer :: rank, ranks, iterations, n, nx, ny, d, step
  integer :: peers(4), lengths(1), received
  integer, volatile :: total(2) ! changes through MPI_BOTTOM
  type(MPI_Request) :: requests(8)
  type(MPI_Status) :: statuses(8)
  type(MPI_Datatype) :: column, absolute
  integer(kind=MPI_ADDRESS_KIND) :: places(1)
  double precision, allocatable, asynchronous :: field(:, :)
  double precision :: norm, bad
  character(len=16) :: text

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  iterations = 10
  n = 16
  call get_command_argument(1, text)
  if (len_trim(text) > 0) read (text, *) iterations
  call get_command_argument(2, text)
  if (len_trim(text) > 0) read (text, *) n
  ny = int(sqrt(real(ranks) + 0.5))
  do while (mod(ranks, ny) /= 0)
    ny = ny - 1
  end do
  nx = ranks / ny
  peers = MPI_PROC_NULL ! west, east, north, south
  if (mod(rank, nx) > 0) peers(1) = rank - 1
  if (mod(rank, nx) < nx - 1) peers(2) = rank + 1
  if (rank / nx > 0) peers(3) = rank - nx
  if (rank / nx < ny - 1) peers(4) = rank + nx

  allocate (field(0:n + 1, 0:n + 1))
  field = -1
  bad = 0
  call MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)

  do step = 1, iterations
    field(1:n, 1:n) = rank + step
    call MPI_Irecv(field(0, 1), 1, column, peers(1), 2, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(field(n + 1, 1), 1, column, peers(2), 1, MPI_COMM_WORLD, requests(2))
    call MPI_Irecv(field(1, 0), n, MPI_DOUBLE_PRECISION, peers(3), 4, MPI_COMM_WORLD, requests(3))
    call MPI_Irecv(field(1, n + 1), n, MPI_DOUBLE_PRECISION, peers(4), 3, MPI_COMM_WORLD, requests(4))
    call MPI_Isend(field(1, 1), 1, column, peers(1), 1, MPI_COMM_WORLD, requests(5))
    call MPI_Isend(field(n, 1), 1, column, peers(2), 2, MPI_COMM_WORLD, requests(6))
    call MPI_Isend(field(1, 1), n, MPI_DOUBLE_PRECISION, peers(3), 3, MPI_COMM_WORLD, requests(7))
    call MPI_Isend(field(1, n), n, MPI_DOUBLE_PRECISION, peers(4), 4, MPI_COMM_WORLD, requests(8))
    call MPI_Waitall(8, requests, statuses)
    do d = 1, 4
      if (peers(d) /= MPI_PROC_NULL .and. statuses(d)%MPI_SOURCE /= peers(d)) bad = bad + 1
    end do
    call MPI_Get_count(statuses(3), MPI_DOUBLE_PRECISION, received)
    if (peers(3) /= MPI_PROC_NULL .and. received /= n) bad = bad + 1
    if (peers(1) /= MPI_PROC_NULL) bad = bad + count(field(0, 1:n) /= peers(1) + step)
    if (peers(2) /= MPI_PROC_NULL) bad = bad + count(field(n + 1, 1:n) /= peers(2) + step)
    if (peers(3) /= MPI_PROC_NULL) bad = bad + count(field(1:n, 0) /= peers(3) + step)
    if (peers(4) /= MPI_PROC_NULL) bad = bad + count(field(1:n, n + 1) /= peers(4) + step)
    norm = sum(field(1:n, 1:n))
    call MPI_Allreduce(MPI_IN_PLACE, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end do
  call MPI_Type_free(column)

  ! Two integers of known address round the ring, relative to MPI_BOTTOM.
  total = (/rank, 2 * rank/)
  lengths(1) = 2
  call MPI_Get_address(total, places(1))
  call MPI_Type_create_hindexed(1, lengths, places, MPI_INTEGER, absolute)
  call MPI_Type_commit(absolute)
  call MPI_Sendrecv_replace(MPI_BOTTOM, 1, absolute, mod(rank + 1, ranks), 9, mod(rank + ranks - 1, ranks), 9, &
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Type_free(absolute)
  if (total(2) /= 2 * mod(rank + ranks - 1, ranks)) bad = bad + 1

  call MPI_Allreduce(MPI_IN_PLACE, bad, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) then
    if (bad == 0) print '(a, i0)', 'fstencil_f08 ok ', nint(norm, 8)
    if (bad /= 0) print '(a)', 'fstencil_f08 FAILED'
  end if
  deallocate (field)
  call MPI_Finalize()
  if (bad /= 0) stop 1
end program fstencil_f08
