! A 2D stencil in Fortran with mpif.h: integer handles, ierror everywhere, status arrays, MPI_IN_PLACE,
! MPI_STATUS_IGNORE, a derived type for columns, and MPI_BOTTOM once. What a tracer meets in older Fortran codes: the
! Fortran entry points with their hidden string lengths, handles and sentinels (the Fortran half of Pilgrim's wrappers,
! and most of NPB).
program fstencil_mpifh
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, ierror, iterations, n, nx, ny, d, step, column, absolute
  integer :: peers(4), requests(8), statuses(MPI_STATUS_SIZE, 8), lengths(1), received
  integer :: total(2)
  common /reached/ total ! which changes through MPI_BOTTOM
  integer(kind=MPI_ADDRESS_KIND) :: places(1)
  double precision, allocatable :: field(:, :)
  double precision :: norm, bad
  character(len=16) :: text

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
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
  call MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Type_commit(column, ierror)

  do step = 1, iterations
    field(1:n, 1:n) = rank + step
    call MPI_Irecv(field(0, 1), 1, column, peers(1), 2, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Irecv(field(n + 1, 1), 1, column, peers(2), 1, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Irecv(field(1, 0), n, MPI_DOUBLE_PRECISION, peers(3), 4, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Irecv(field(1, n + 1), n, MPI_DOUBLE_PRECISION, peers(4), 3, MPI_COMM_WORLD, requests(4), ierror)
    call MPI_Isend(field(1, 1), 1, column, peers(1), 1, MPI_COMM_WORLD, requests(5), ierror)
    call MPI_Isend(field(n, 1), 1, column, peers(2), 2, MPI_COMM_WORLD, requests(6), ierror)
    call MPI_Isend(field(1, 1), n, MPI_DOUBLE_PRECISION, peers(3), 3, MPI_COMM_WORLD, requests(7), ierror)
    call MPI_Isend(field(1, n), n, MPI_DOUBLE_PRECISION, peers(4), 4, MPI_COMM_WORLD, requests(8), ierror)
    call MPI_Waitall(8, requests, statuses, ierror)
    do d = 1, 4
      if (peers(d) /= MPI_PROC_NULL .and. statuses(MPI_SOURCE, d) /= peers(d)) bad = bad + 1
    end do
    call MPI_Get_count(statuses(1, 3), MPI_DOUBLE_PRECISION, received, ierror)
    if (peers(3) /= MPI_PROC_NULL .and. received /= n) bad = bad + 1
    if (peers(1) /= MPI_PROC_NULL) bad = bad + count(field(0, 1:n) /= peers(1) + step)
    if (peers(2) /= MPI_PROC_NULL) bad = bad + count(field(n + 1, 1:n) /= peers(2) + step)
    if (peers(3) /= MPI_PROC_NULL) bad = bad + count(field(1:n, 0) /= peers(3) + step)
    if (peers(4) /= MPI_PROC_NULL) bad = bad + count(field(1:n, n + 1) /= peers(4) + step)
    norm = sum(field(1:n, 1:n))
    call MPI_Allreduce(MPI_IN_PLACE, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end do
  call MPI_Type_free(column, ierror)

  ! Two integers of known address round the ring, relative to MPI_BOTTOM.
  total = (/rank, 2 * rank/)
  lengths(1) = 2
  call MPI_Get_address(total, places(1), ierror)
  call MPI_Type_create_hindexed(1, lengths, places, MPI_INTEGER, absolute, ierror)
  call MPI_Type_commit(absolute, ierror)
  call MPI_Sendrecv_replace(MPI_BOTTOM, 1, absolute, mod(rank + 1, ranks), 9, mod(rank + ranks - 1, ranks), 9, &
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Type_free(absolute, ierror)
  if (total(2) /= 2 * mod(rank + ranks - 1, ranks)) bad = bad + 1

  call MPI_Allreduce(MPI_IN_PLACE, bad, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    if (bad == 0) print '(a, i0)', 'fstencil_mpifh ok ', nint(norm, 8)
    if (bad /= 0) print '(a)', 'fstencil_mpifh FAILED'
  end if
  deallocate (field)
  call MPI_Finalize(ierror)
  if (bad /= 0) stop 1
end program fstencil_mpifh
