! CHECK:      #0 MPI_Init({{.*}} at modern+
! CHECK-NEXT: #1 MPI_Comm_rank(
! CHECK-NEXT: #2 MPI_Comm_size({{.*}}size=2{{.*}} at modern+
! CHECK-NEXT: #3 MPI_Alltoallw({{.*}}sendtypes=[MPI_INTEGER, MPI_INTEGER]{{.*}} at modern+
! CHECK-NEXT: #4 MPI_Alltoallv({{.*}} at modern+
! CHECK-NEXT: #5 MPI_Cart_create({{.*}} at modern+
! CHECK-NEXT: #6 MPI_Cart_sub({{.*}}remain_dims=[true]{{.*}} at modern+
! CHECK-NEXT: #7 MPI_Finalize(
program modern
  use mpi_f08
  implicit none
  integer :: rank, ranks, counts(0:7), displacements(0:7), sent(8), received(8), i
  type(MPI_Datatype) :: types(0:7)
  type(MPI_Comm) :: grid, line
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  counts = 1
  displacements = [(4 * i, i = 0, 7)]
  types = MPI_INTEGER
  sent = rank
  call MPI_Alltoallw(sent, counts, displacements, types, received, counts, displacements, types, MPI_COMM_WORLD)
  displacements = displacements / 4
  call MPI_Alltoallv(sent, counts, displacements, MPI_INTEGER, received, counts, displacements, MPI_INTEGER, &
                     MPI_COMM_WORLD)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., grid)
  call MPI_Cart_sub(grid, [.true.], line)
  call MPI_Finalize()
end program modern
