subroutine calls(mode)
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: mode, i, k(3), ranges(3,2), n, e
  integer :: c, g
  integer :: t, ts(2)
  integer :: w
  integer :: f
  integer :: r, rs(2)
  integer :: info, infos(2)
  integer :: gr
  integer :: eh
  integer, dimension(MPI_STATUS_SIZE) :: st
  type(c_ptr) :: p
  logical :: per(2), fl
  character(len=10) :: cmds(2), s
  integer(MPI_ADDRESS_KIND) :: a, as(2), x
  integer(MPI_OFFSET_KIND) :: o
  integer(MPI_COUNT_KIND) :: big
  real, allocatable :: buf(:,:)
  external :: fn
  if (mode == 0) return
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, k, MPI_UNWEIGHTED, 2, k, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., c, e)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, k, k, 2, k, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., c, e)
  call MPI_Comm_spawn('x', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, g, MPI_ERRCODES_IGNORE, e)
  call MPI_Comm_spawn('x', cmds, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, g, k, e)
  call MPI_Comm_spawn_multiple(2, cmds, MPI_ARGVS_NULL, k, infos, 0, MPI_COMM_SELF, g, MPI_ERRCODES_IGNORE, e)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, k, per, .true., c, e)
  call MPI_Group_range_incl(gr, 2, ranges, gr, e)
  call MPI_Type_create_struct(2, k, as, ts, t, e)
  call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, t, e)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, k(1), x, e)
  call MPI_Comm_create_errhandler(fn, eh, e)
  call MPI_Win_allocate(8_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, p, w, e)
  call MPI_Win_create(buf, 8_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, w, e)
  call MPI_Put(buf(1,1), 1, MPI_REAL, 0, 0_MPI_ADDRESS_KIND, 1, MPI_REAL, w, e)
  call MPI_File_open(MPI_COMM_WORLD, 'f', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, f, e)
  call MPI_File_write_at_all(f, o, buf, 4, MPI_REAL, st, e)
  call MPI_File_set_view(f, o, MPI_REAL, MPI_REAL, 'native', MPI_INFO_NULL, e)
  call MPI_Buffer_attach(buf, 100, e)
  call MPI_Bsend(buf(:,2), 2, MPI_REAL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, e)
  call MPI_Alltoallw(buf, k, k, ts, buf, k, k, ts, MPI_COMM_WORLD, e)
  call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buf, k, k, MPI_REAL, 0, MPI_COMM_WORLD, e)
  call MPI_Testany(2, rs, i, fl, st, e)
  call MPI_Info_set(info, 'a', 'b', e)
  call MPI_Info_get(info, 'a', 10, s, fl, e)
  call MPI_Type_size_x(MPI_REAL, big, e)
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, i, e)
  call MPI_Send(MPI_BOTTOM, 1, t, MPI_PROC_NULL, 0, MPI_COMM_WORLD, e)
  call MPI_Pcontrol(0)
end subroutine
