! Sections that are not contiguous, in calls of every kind; each result is compared element by element.
module checks
  implicit none
  integer :: wrong = 0
contains
  subroutine want(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    if (ok) return
    wrong = wrong + 1
    print *, 'wrong: ', what
  end subroutine
  subroutine assumed(x, n)
    use mpi_f08
    integer :: n, x(n, *)
    type(MPI_Request) :: r
    call MPI_Irecv(x(2, 1:n), n, MPI_INTEGER, 0, 9, MPI_COMM_SELF, r)
    call MPI_Send(x, n, MPI_INTEGER, 0, 9, MPI_COMM_SELF)
    call MPI_Wait(r, MPI_STATUS_IGNORE)
  end subroutine
end module

program sections
  use mpi_f08
  use checks
  implicit none
  type point
    sequence
    real(8) :: x, y
    integer :: id(2)
  end type
  integer, parameter :: n = 8
  integer, asynchronous :: a(n, n), b(n, n), e(n, n)
  integer, asynchronous :: c(n, n, 3), d(n, n, 3)
  type(point) :: p(n), q(n)
  character(len=6) :: s(n), t(n)
  character(len=6), parameter :: word = 'abcdef'
  integer(MPI_COUNT_KIND) :: many
  integer :: rank, size, i, j, k, error, other
  integer(MPI_ADDRESS_KIND) :: at(2), bytes
  type(MPI_Request) :: r(2)
  type(MPI_Status) :: st
  type(MPI_Win) :: w
  type(MPI_Datatype) :: pair
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  other = mod(rank + 1, size)
  a = reshape([(i + 100 * rank, i = 1, n * n)], [n, n])
  e = reshape([(i + 100 * mod(rank + size - 1, size), i = 1, n * n)], [n, n])
  c = reshape([(i + 1000 * rank, i = 1, n * n * 3)], [n, n, 3])

  ! Rows, both ways.
  b = 0
  call MPI_Irecv(b(3, :), n, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, r(1))
  call MPI_Isend(a(5, :), n, MPI_INTEGER, other, 1, MPI_COMM_WORLD, r(2))
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
  call want(all(b(3, :) == e(5, :)) .and. sum(abs(b)) == sum(abs(b(3, :))), 'row')
  ! Backwards, with a step, and not all of it: two columns and two elements.
  b = 0
  call MPI_Irecv(b(n:1:-2, 1:n:3), 10, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, r(1))
  call MPI_Isend(a(1:n:2, n:1:-3), 10, MPI_INTEGER, other, 2, MPI_COMM_WORLD, r(2))
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
  do j = 0, 2
    do i = 0, 3
      if (4 * j + i < 10) call want(b(n - 2 * i, 1 + 3 * j) == e(1 + 2 * i, n - 3 * j), 'part')
      if (4 * j + i >= 10) call want(b(n - 2 * i, 1 + 3 * j) == 0, 'behind the part')
    end do
  end do
  ! Three dimensions.
  d = 0
  call MPI_Sendrecv(c(2:7:5, 3:5, 1:3:2), 12, MPI_INTEGER, other, 3, d(2:7:5, 3:5, 2:3), 12, MPI_INTEGER, &
                    MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, st)
  call MPI_Get_count(st, MPI_INTEGER, i)
  call want(i == 12, 'count')
  call want(all(d(2:7:5, 3:5, 2:3) == c(2:7:5, 3:5, 1:3:2) - 1000 * (rank - mod(rank + size - 1, size))), 'cube')
  ! A datatype of several elements: no section of its elements is a datatype, so a copy goes.
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  b = 0
  call MPI_Irecv(b, 4, pair, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, r(1))
  call MPI_Send(a(2, :), 4, pair, other, 4, MPI_COMM_WORLD)
  call MPI_Wait(r(1), st)
  call want(all(b(:, 1) == e(2, :)), 'pairs sent')
  b = 0
  call MPI_Isend(a, 4, pair, other, 5, MPI_COMM_WORLD, r(1))
  call MPI_Recv(b(2, :), 4, pair, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, st)
  call MPI_Wait(r(1), st)
  call want(all(b(2, :) == e(:, 1)), 'pairs received')
  call MPI_Type_free(pair)
  ! Elements of derived types, and parts of them; texts.
  do i = 1, n
    p(i) = point(i + rank, -i, [i, 2 * i])
    s(i) = repeat(achar(iachar('a') + i + rank), 6)
  end do
  q = point(0, 0, [0, 0])
  t = ' '
  call MPI_Sendrecv(p(2:8:3)%y, 3, MPI_DOUBLE_PRECISION, other, 6, q(1:3)%x, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, &
                    6, MPI_COMM_WORLD, st)
  call want(all(q(1:3)%x == [-2, -5, -8]) .and. all(q%y == 0), 'components')
  call MPI_Sendrecv(s(2:8:2), 24, MPI_CHARACTER, rank, 7, t(1:7:2), 24, MPI_CHARACTER, rank, 7, MPI_COMM_WORLD, st)
  call want(all(t(1:7:2) == s(2:8:2)) .and. all(t(2:8:2) == ' '), 'texts')
  call MPI_Sendrecv(s(1:4)(3:4), 8, MPI_CHARACTER, rank, 7, t(5:8)(1:2), 8, MPI_CHARACTER, rank, 7, MPI_COMM_WORLD, st)
  call want(all(t(5:8)(1:2) == s(1:4)(3:4)), 'parts of texts')
  ! Collective calls: datatypes where a buffer has its own, copies where it shares one.
  b = 0
  if (rank == 0) b(4, :) = 7
  call MPI_Bcast(b(4, 1:n:2), n / 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call want(all(b(4, 1:n:2) == 7), 'Bcast')
  b = 0
  call MPI_Allreduce(a(1, :), b(2, :), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call want(all(b(2, :) == a(1, :) + 100 * (size - 1 - rank)) .and. all(b(1, :) == 0), 'Allreduce')
  b(2, :) = rank
  call MPI_Allreduce(MPI_IN_PLACE, b(2, :), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call want(all(b(2, :) == size * (size - 1) / 2), 'Allreduce in place')
  b = -1
  call MPI_Gather(a(3, 1:4), 4, MPI_INTEGER, b(1:n:2, 1:size), 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (rank == 0) call want(all(b(1:n:2, size) == a(3, 1:4) + 100 * (size - 1)) .and. all(b(2:n:2, :) == -1), 'Gather')
  ! Persistent, and one-sided.
  b = 0
  call MPI_Send_init(a(6, :), n, MPI_INTEGER, other, 8, MPI_COMM_WORLD, r(1))
  call MPI_Recv_init(b(6, :), n, MPI_INTEGER, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, r(2))
  do k = 1, 3
    b = 0
    call MPI_Startall(2, r)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
    call want(all(b(6, :) == e(6, :)), 'persistent')
  end do
  call MPI_Request_free(r(1))
  call MPI_Request_free(r(2))
  b = 0
  bytes = 4 * n * n
  call MPI_Win_create(b, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w)
  call MPI_Win_fence(0, w)
  call MPI_Put(a(7, :), n, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, w)
  call MPI_Win_fence(0, w)
  call want(all(b(:, 1) == e(7, :)), 'Put')
  call MPI_Win_free(w)
  ! Large counts, whole and in sections; names with P.
  b = 0
  many = n
  call MPI_Isend(a(8, :), many, MPI_INTEGER, other, 10, MPI_COMM_WORLD, r(1))
  call MPI_Recv(b(1, :), many, MPI_INTEGER, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Wait(r(1), st)
  call want(all(b(1, :) == e(8, :)) .and. error == MPI_SUCCESS, 'large')
  many = 0
  call MPI_Type_contiguous(int(n, MPI_COUNT_KIND), MPI_INTEGER, pair)
  call MPI_Type_size(pair, many)
  call want(many == 4 * n, 'large size')
  call MPI_Type_free(pair)
  b(1, 1) = rank
  call MPI_Allreduce(MPI_IN_PLACE, b, 1_MPI_COUNT_KIND, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call want(b(1, 1) == size * (size - 1) / 2, 'large in place')
  call PMPI_Bcast(b(3, :), n, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call PMPI_Barrier(MPI_COMM_WORLD)
  call want(PMPI_Wtime() > 0, 'time')
  ! Addresses; an assumed size; nothing at all.
  call MPI_Get_address(a(2, :), at(1))
  call MPI_Get_address(a(2, 1), at(2))
  call want(at(1) == at(2), 'address')
  call assumed(b, n)
  call want(all(b(2, :) == b(:, 1)), 'assumed size')
  call MPI_Bcast(b(3, 5:4), 0, MPI_INTEGER, 0, MPI_COMM_WORLD)
  ! What cannot be passed.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Iallreduce(a(1, :), b(1, :), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(1), error)
  call want(error == MPI_ERR_BUFFER, 'error')
  call MPI_Send(a(1, :), n + 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, error)
  call want(error == MPI_ERR_BUFFER, 'too many')
  call want(MPI_SUBARRAYS_SUPPORTED, 'MPI_SUBARRAYS_SUPPORTED')
  if (rank == 0) print *, 'wrong', wrong
  call MPI_Finalize()
end program
