! Calls of MPI in everything that OpenMP makes of a procedure, with two threads.
subroutine probe(tag)
  use mpi
  implicit none
  integer :: tag, status(MPI_STATUS_SIZE), ierror
  logical :: flag
  call MPI_Iprobe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, flag, status, ierror)
end subroutine

subroutine solve(steps)
  implicit none
  integer :: steps, step
  do step = 1, steps
    !$omp parallel num_threads(2)
    call probe(step)
    !$omp end parallel
  end do
end subroutine

subroutine constructs
  implicit none
  integer :: i
  !$omp parallel num_threads(2) private(i)
  !$omp master
  call probe(0)
  !$omp end master
  !$omp barrier
  do i = 1, 3
    call probe(i)
  end do
  !$omp critical
  call probe(4)
  !$omp end critical
  !$omp do
  do i = 1, 4
    call probe(i)
  end do
  !$omp end do
  !$omp sections
  !$omp section
  call probe(5)
  !$omp section
  call probe(6)
  !$omp end sections
  !$omp end parallel
end subroutine

subroutine tasks
  implicit none
  integer :: i
  !$omp parallel num_threads(1)
  !$omp single
  do i = 1, 2
    !$omp task
    call probe(7)
    !$omp end task
  end do
  !$omp taskwait
  !$omp end single
  !$omp end parallel
end subroutine

program openmp
  use mpi
  implicit none
  integer :: given, ierror, step, threads
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, given, ierror)
  do step = 1, 5
    call constructs
  end do
  call solve(2)
  do step = 0, 4
    if (step /= 2) call solve(step)
  end do
  threads = command_argument_count()
  !$omp parallel num_threads(2) if (threads > 0)
  call probe(8)
  !$omp end parallel
  !$omp parallel num_threads(2) if (threads == 0)
  call probe(9)
  !$omp end parallel
  call tasks
  !$omp parallel do num_threads(2)
  do step = 1, 6
    call probe(step)
  end do
  !$omp end parallel do
  call MPI_Finalize(ierror)
end program
