program lenient
  use mpi
  implicit none
  integer :: ierr, n(5), d(4)
  double precision :: x(3)
  character :: c
  complex(8) :: z
  logical :: l
  integer(8) :: i(2, 2)
  call MPI_Init(ierr)
  call MPI_Sizeof(x, n(1), ierr)
  call MPI_Sizeof(c, n(2), ierr)
  call MPI_Sizeof(z, n(3), ierr)
  call MPI_Sizeof(l, n(4), ierr)
  call MPI_Sizeof(i, n(5), ierr)
  print '(A, 5(1X, I0))', 'bytes', n
  d(1) = 5
  call MPI_Alltoallv(MPI_IN_PLACE, 0, 0, MPI_DATATYPE_NULL, d, (/1/), (/0/), MPI_INTEGER, MPI_COMM_SELF, ierr)
  call MPI_Finalize(ierr)
end program lenient
