! CHECK:      #0 MPI_Init({{.*}} at plain+
! CHECK-NEXT: #1 MPI_Comm_rank(
! CHECK-NEXT: #2 MPI_Comm_size({{.*}}size=2{{.*}} at plain+
! CHECK-NEXT: #3 MPI_Alltoallv({{.*}} at plain+
! CHECK-NEXT: #4 MPI_Allgatherv({{.*}} at plain+
! CHECK-NEXT: #5 MPI_Cart_create({{.*}} at plain+
! CHECK-NEXT: #6 MPI_Cart_rank({{.*}}coords=[1]{{.*}} at plain+
! CHECK-NEXT: #7 MPI_Type_hvector({{.*}}oldtype=MPI_INTEGER, newtype=type0{{.*}} at plain+
! CHECK-NEXT: #8 MPI_Type_free(datatype=type0{{.*}} at plain+
! CHECK-NEXT: #9 MPI_Comm_free({{.*}} at plain+
! CHECK-NEXT: #10 MPI_Finalize(
program plain
  implicit none
  include 'mpif.h'
  integer :: error, rank, ranks, counts(0:7), displacements(0:7), sent(8), received(8), i, grid, type
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  counts = 1
  displacements = [(i, i = 0, 7)]
  sent = rank
  call MPI_Alltoallv(sent, counts, displacements, MPI_INTEGER, received, counts, displacements, MPI_INTEGER, &
                     MPI_COMM_WORLD, error)
  call MPI_Allgatherv(sent, 1, MPI_INTEGER, received, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., grid, error)
  call MPI_Cart_rank(grid, [1], rank, error)
  call MPI_Type_hvector(2, 1, 8, MPI_INTEGER, type, error)
  call MPI_Type_free(type, error)
  call MPI_Comm_free(grid, error)
  call MPI_Finalize(error)
end program plain
