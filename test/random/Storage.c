// Windows and files.
#include "RandomCalls.h"

void window(void) {
  Comm *C = anyComm();
  if (!has('w') || IsThread)
    return;
  MPI_Win W;
  int *Base, How = draw(3), N = 1 + draw(6), Rounds = 1 + draw(2), Way = draw(4), Kind = draw(3), Offset = draw(8);
  int *Block = NULL, From[16] = {0};
  if (How == 0)
    MPI_Win_allocate(64 * 4, 4, MPI_INFO_NULL, C->C, &Base, &W);
  else if (How == 1)
    MPI_Win_create(Block = calloc(64, 4), 64 * 4, 4, MPI_INFO_NULL, C->C, &W);
  else
    MPI_Win_allocate_shared(64 * 4, 4, MPI_INFO_NULL, C->C, &Base, &W);
  for (int I = 0; I < Rounds; ++I) {
    int To = (C->Rank + 1) % C->Size, Before = (C->Rank + C->Size - 1) % C->Size;
    MPI_Group All, Ones, Others;
    if (Way == 0)
      MPI_Win_fence(0, W);
    else if (Way == 1)
      MPI_Win_lock(draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, To, 0, W);
    else if (Way == 2)
      MPI_Win_lock_all(0, W);
    else {
      MPI_Comm_group(C->C, &All);
      MPI_Group_incl(All, 1, &To, &Ones);
      MPI_Group_incl(All, 1, &Before, &Others);
      MPI_Win_post(Others, 0, W);
      MPI_Win_start(Ones, 0, W);
    }
    if (Kind == 0)
      MPI_Put(From, N, MPI_INT, To, Offset, N, MPI_INT, W);
    else if (Kind == 1)
      MPI_Get(From, N, MPI_INT, To, Offset, N, MPI_INT, W);
    else
      MPI_Accumulate(From, N, MPI_INT, To, Offset, N, MPI_INT, MPI_SUM, W);
    if (Way == 0)
      MPI_Win_fence(0, W);
    else if (Way == 1)
      MPI_Win_unlock(To, W);
    else if (Way == 2) {
      MPI_Win_flush(To, W);
      MPI_Win_unlock_all(W);
    } else {
      MPI_Win_complete(W);
      MPI_Win_wait(W);
      MPI_Group_free(&Ones);
      MPI_Group_free(&Others);
      MPI_Group_free(&All);
    }
  }
  MPI_Win_free(&W);
  free(Block);
}

void otherWindows(void) {
  Comm *C = anyComm();
  if (!has('w') || IsThread)
    return;
  MPI_Win W;
  int *Base, From[16] = {0}, To[16] = {0}, Compare = 0, How = draw(5), Next = (C->Rank + 1) % C->Size, N = 1 + draw(6);
  MPI_Request R;
  MPI_Info I = MPI_INFO_NULL;
  if (draw(2)) {
    MPI_Info_create(&I);
    MPI_Info_set(I, "no_locks", "false");
  }
  MPI_Win_allocate(256, 4, I, C->C, &Base, &W);
  if (I != MPI_INFO_NULL)
    MPI_Info_free(&I);
  MPI_Win_set_name(W, "a window");
  memset(Base, 0, 256);
  MPI_Win_lock_all(0, W);
  switch (How) {
  case 0:
    MPI_Rput(From, N, MPI_INT, Next, 1, N, MPI_INT, W, &R), MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 1:
    MPI_Rget(To, N, MPI_INT, Next, 2, N, MPI_INT, W, &R), MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 2:
    MPI_Fetch_and_op(From, To, MPI_INT, Next, 3, MPI_SUM, W);
    break;
  case 3:
    MPI_Compare_and_swap(From, &Compare, To, MPI_INT, Next, 4, W);
    break;
  default:
    MPI_Get_accumulate(From, N, MPI_INT, To, N, MPI_INT, Next, 0, N, MPI_INT, MPI_REPLACE, W);
  }
  MPI_Win_flush_local(Next, W);
  MPI_Win_sync(W);
  MPI_Win_unlock_all(W);
  MPI_Win_free(&W);
}

/// In MPI_COMM_WORLD, of those of C: what distinguishes communicators that have no rank in common.
static int smallestRank(const Comm *C) {
  int Out;
  MPI_Allreduce(&WorldRank, &Out, 1, MPI_INT, MPI_MIN, C->C);
  return Out;
}

void file(void) {
  Comm *C = anyComm();
  if (!has('f') || IsThread)
    return;
  MPI_File F;
  MPI_Status S;
  MPI_Request R;
  char Name[64];
  int Offset = 64 * C->Rank;
  double D[16] = {0};
  const int Owner = smallestRank(C);
  snprintf(Name, sizeof Name, "random.%d.%d", Owner, draw(2));
  MPI_File_open(C->C, Name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &F);
  if (draw(2)) {
    MPI_Datatype T;
    MPI_Type_vector(4, 1, C->Size, MPI_DOUBLE, &T);
    MPI_Type_commit(&T);
    MPI_File_set_view(F, 8 * C->Rank, MPI_DOUBLE, T, "native", MPI_INFO_NULL);
    MPI_Type_free(&T);
    Offset = 0;
  }
  switch (draw(4)) {
  case 0:
    MPI_File_write_at_all(F, Offset, D, 4, MPI_DOUBLE, &S);
    break;
  case 1:
    MPI_File_write_at(F, Offset, D, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
    break;
  case 2:
    MPI_File_iwrite_at(F, Offset, D, 2, MPI_DOUBLE, &R), MPI_Wait(&R, &S);
    break;
  default:
    MPI_File_write(F, D, 1, MPI_DOUBLE, &S);
  }
  MPI_File_sync(F);
  MPI_Barrier(C->C);
  MPI_File_read_at_all(F, Offset, D, 1, MPI_DOUBLE, &S);
  MPI_File_close(&F);
  if (C->Rank == 0)
    MPI_File_delete(Name, MPI_INFO_NULL);
  MPI_Barrier(C->C);
}

void otherFiles(void) {
  Comm *C = anyComm();
  if (!has('f') || IsThread)
    return;
  const int How = draw(7), N = 1 + draw(3);
  char Name[64];
  snprintf(Name, sizeof Name, "more.%d", smallestRank(C));
  double D[16] = {0};
  MPI_Offset Where;
  MPI_Request R;
  MPI_Status S;
  MPI_File F;
  MPI_File_open(C->C, Name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &F);
  MPI_File_set_size(F, 1024);
  switch (How) {
  case 0:
    MPI_File_write_ordered(F, D, N, MPI_DOUBLE, &S);
    break;
  case 1:
    MPI_File_seek(F, 8 * C->Rank, MPI_SEEK_SET), MPI_File_write(F, D, N, MPI_DOUBLE, &S),
        MPI_File_get_position(F, &Where);
    break;
  case 2:
    MPI_File_iwrite_at_all(F, 8 * C->Rank, D, 1, MPI_DOUBLE, &R), MPI_Wait(&R, &S);
    break;
  case 3:
    MPI_File_write_at_all_begin(F, 8 * C->Rank, D, 1, MPI_DOUBLE), MPI_File_write_at_all_end(F, D, &S);
    break;
  case 4:
    MPI_File_iread_at(F, 0, D, N, MPI_DOUBLE, &R), MPI_Wait(&R, &S);
    break;
  case 5:
    MPI_File_read_all(F, D, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
    break;
  default:
    MPI_File_preallocate(F, 2048), MPI_File_get_size(F, &Where);
  }
  MPI_File_close(&F);
}
