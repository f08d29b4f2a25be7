      program hello
      implicit none
      include 'mpif.h'
      integer ierror, rank, total
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      total = rank + 1
      call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM,
     & MPI_COMM_WORLD, ierror)
      if (rank .eq. 0) print *, 'total', total
      call MPI_FINALIZE(ierror)
      end
