! Fortran's names of MPI's functions are known, its runtime's functions are no events, and names of the program that look
! like MPI's are the program's.
! REQUIRES: clang, pass, llvm-flang
! RUN: %flang -O2 -fpass-plugin=%pass -c %s -o %t.o
! RUN: %list-tables %t.o | FileCheck %s
! RUN: %flang -O0 -fpass-plugin=%pass -c %s -o %t.o
! RUN: %list-tables %t.o | FileCheck %s

! CHECK:      function step_ {{.*}}site, 1 callees
! CHECK-NEXT: region 0
! CHECK-NEXT: #1 loop 1
! CHECK-NEXT: #2 call mpi_helper_
! CHECK-NEXT: #3 site pmpi_barrier_
! CHECK-NEXT: node 0 #1: 1+0
! CHECK-NEXT: node 1 #2: 2+0
! CHECK-NEXT: node 2 #3: *+0
! CHECK-NEXT: region 1
! CHECK-NEXT: #1 arm 0
! CHECK-NEXT: #2 arm 1
! CHECK-NEXT: #3 site mpi_barrier_ line 0 in #1
! CHECK-NEXT: #4 site mpi_send_f08_ line 0 in #2
! CHECK-NEXT: node 0: 1+0@1 2+1@2 *+2
! CHECK-NEXT: node 1 #3: *+0
! CHECK-NEXT: node 2 #4: *+0
subroutine step(n)
  integer :: n, i, ierr
  double precision, external :: mpi_wtime
  do i = 1, n
    if (mod(i, 3) == 0) then
      call mpi_barrier(1, ierr)
    else
      call mpi_send_f08(i)
    end if
  end do
  print *, n, mpi_wtime()
  call mpi_helper(n)
  call pmpi_barrier(1, ierr)
end subroutine
