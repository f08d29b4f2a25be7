subroutine probe(tag)
  use mpi
  implicit none
  integer :: tag, error
  logical :: flag
  call mpi_iprobe(mpi_any_source, tag, mpi_comm_self, flag, mpi_status_ignore, error)
end subroutine

program sections
  use mpi
  implicit none
  integer :: provided, error, i, sum
  sum = 0
  call mpi_init_thread(mpi_thread_multiple, provided, error)
  !$omp parallel num_threads(2) private(i, error)
  !$omp critical
  call probe(1)
  !$omp end critical
  call probe(2)
  if (provided > 0) then
    !$omp critical (update)
    if (provided < 0) then
      call probe(3)
    else
      call mpi_barrier(mpi_comm_self, error)
    end if
    do i = 1, 2
      call probe(4)
    end do
    !$omp critical (inner)
    call probe(5)
    !$omp end critical (inner)
    call probe(6)
    !$omp end critical (update)
    call probe(7)
  end if
  !$omp critical
  sum = sum + 1
  !$omp end critical
  !$omp do ordered schedule(static, 1)
  do i = 1, 4
    if (i < 3) call probe(8)
    !$omp ordered
    call probe(9)
    !$omp end ordered
    call probe(10)
  end do
  !$omp end do
  !$omp end parallel
  call mpi_finalize(error)
end program
