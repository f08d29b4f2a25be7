// Datatypes, and calls that have little to do with others.
#include "RandomCalls.h"

void makeType(void) {
  MPI_Datatype Of = anyType(), New;
  int How = draw(9), N = 1 + draw(4);
  MPI_Aint Lower, Extent;
  MPI_Type_get_extent(Of, &Lower, &Extent);
  if (Extent > 400 || Extent < 1)
    Of = MPI_INT, Extent = 4;
  switch (How) {
  case 0:
    MPI_Type_contiguous(N, Of, &New);
    break;
  case 1:
    MPI_Type_vector(N, 1, 2, Of, &New);
    break;
  case 2:
    MPI_Type_create_hvector(N, 1, Extent * 2, Of, &New);
    break;
  case 3: {
    int Lengths[3] = {1, 2, 1}, Places[3] = {0, 2, 5};
    MPI_Type_indexed(1 + N % 3, Lengths, Places, Of, &New);
    break;
  }
  case 4: {
    int Places[3] = {0, 2, 4};
    MPI_Type_create_indexed_block(1 + N % 3, 1, Places, Of, &New);
    break;
  }
  case 5: {
    int Lengths[2] = {1, N};
    MPI_Aint Places[2] = {0, Extent + 8};
    MPI_Datatype Two[2] = {Of, MPI_DOUBLE};
    MPI_Type_create_struct(2, Lengths, Places, Two, &New);
    break;
  }
  case 6: {
    int Sizes[2] = {4, 4}, Sub[2] = {2, 2}, Starts[2] = {1, N % 3};
    MPI_Type_create_subarray(2, Sizes, Sub, Starts, MPI_ORDER_C, Of, &New);
    break;
  }
  case 7:
    MPI_Type_create_resized(Of, 0, Extent + 8, &New);
    break;
  default:
    MPI_Type_dup(Of, &New);
  }
  MPI_Type_commit(&New);
  if (NumTypes == MaxTypes) {
    int At = draw(MaxTypes);
    MPI_Type_free(&Types[At]); // also while messages of it are under way
    Types[At] = New;
  } else {
    Types[NumTypes++] = New;
  }
}

void otherTypes(void) {
  MPI_Datatype New = MPI_DATATYPE_NULL, Of = basic(), Old[4];
  int How = draw(7), N = 1 + draw(4), Ints[16];
  MPI_Aint Addresses[8], Place[2];
  char Name[32];
  switch (How) {
  case 0: {
    int Sizes[2] = {8, 8}, Distribution[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
        Arg[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, Grid[2] = {2, 1};
    MPI_Type_create_darray(2, N % 2, 2, Sizes, Distribution, Arg, Grid, MPI_ORDER_C, Of, &New);
    break;
  }
  case 1: {
    int Lengths[2] = {N, 1};
    Place[0] = 0, Place[1] = 64;
    MPI_Type_create_hindexed(2, Lengths, Place, Of, &New);
    break;
  }
  case 2:
    Place[0] = 8, Place[1] = 40;
    MPI_Type_create_hindexed_block(2, N, Place, Of, &New);
    break;
  case 3: { // by addresses
    struct {
      double D[4];
      int I[4];
    } X;
    int Lengths[2] = {4, N};
    MPI_Aint Base;
    MPI_Datatype Two[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Get_address(&X, &Base);
    MPI_Get_address(X.D, &Place[0]);
    MPI_Get_address(X.I, &Place[1]);
    Place[0] = MPI_Aint_diff(Place[0], Base);
    Place[1] = MPI_Aint_diff(Place[1], Base);
    MPI_Type_create_struct(2, Lengths, Place, Two, &New);
    break;
  }
  case 4:
    MPI_Type_vector_c(N, 2, 3, Of, &New);
    break;
  case 5: {
    MPI_Type_contiguous(N, Of, &New);
    MPI_Type_get_contents(New, 1, 0, 1, Ints, Addresses, Old);
    break;
  }
  default:
    MPI_Type_create_f90_real(6, 30, &New);
  }
  if (How < 6) {
    snprintf(Name, sizeof Name, "type %d", N);
    MPI_Type_set_name(New, Name);
    MPI_Type_commit(&New);
    MPI_Type_size(New, &N);
    MPI_Type_free(&New);
  }
}

void lookAt(void) {
  int Ints, Addresses, NumOf, Combiner, Size, Flag, Major, Minor;
  void *Value;
  char Name[MPI_MAX_OBJECT_NAME];
  switch (draw(6)) {
  case 0:
    MPI_Type_get_envelope(anyType(), &Ints, &Addresses, &NumOf, &Combiner);
    break;
  case 1:
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &Value, &Flag);
    break;
  case 2:
    MPI_Comm_get_name(anyComm()->C, Name, &Size);
    break;
  case 3:
    MPI_Get_version(&Major, &Minor);
    break;
  case 4:
    MPI_Wtime();
    break;
  default:
    MPI_Comm_compare(anyComm()->C, anyComm()->C, &Size);
  }
}

void infos(void) {
  MPI_Info I, J;
  char Value[32];
  int Flag, N;
  MPI_Info_create(&I);
  snprintf(Value, sizeof Value, "%d", draw(9));
  MPI_Info_set(I, "some_key", Value);
  MPI_Info_set(I, draw(2) ? "other" : "another", "value");
  MPI_Info_dup(I, &J);
  MPI_Info_get(J, "some_key", 31, Value, &Flag);
  MPI_Info_get_nkeys(I, &N);
  MPI_Info_free(&I);
  MPI_Info_free(&J);
}

static int query(void *Extra, MPI_Status *S) {
  (void)Extra;
  MPI_Status_set_elements(S, MPI_INT, 1);
  MPI_Status_set_cancelled(S, 0);
  S->MPI_SOURCE = MPI_UNDEFINED;
  S->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int freeIt(void *Extra) {
  (void)Extra;
  return MPI_SUCCESS;
}

static int cancelIt(void *Extra, int Complete) {
  (void)Extra, (void)Complete;
  return MPI_SUCCESS;
}

void others(void) {
  Comm *C = anyComm();
  MPI_Request R;
  void *Memory;
  MPI_Info I;
  MPI_Comm New;
  char Value[64];
  int Flag, N = 64;
  switch (draw(7)) {
  case 0: // refused in programs with threads
    if (has('t'))
      break;
    MPI_Grequest_start(query, freeIt, cancelIt, NULL, &R);
    MPI_Grequest_complete(R);
    MPI_Wait(&R, MPI_STATUS_IGNORE);
    break;
  case 1:
    MPI_Alloc_mem(1000, MPI_INFO_NULL, &Memory);
    MPI_Sendrecv(Memory, 4, MPI_INT, C->Rank, 1, (int *)Memory + 16, 4, MPI_INT, C->Rank, 1, C->C, MPI_STATUS_IGNORE);
    MPI_Free_mem(Memory);
    break;
  case 2:
    if (IsThread)
      break;
    MPI_Info_create(&I);
    MPI_Info_set(I, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(C->C, I, &New);
    MPI_Info_free(&I);
    MPI_Comm_get_info(New, &I);
    MPI_Info_get_string(I, "mpi_assert_no_any_tag", &N, Value, &Flag);
    MPI_Info_free(&I);
    MPI_Comm_free(&New);
    break;
  case 3:
    if (IsThread)
      break;
    MPI_Comm_split(C->C, C->Rank == 0 ? MPI_UNDEFINED : 1, 0, &New);
    if (New != MPI_COMM_NULL) {
      MPI_Barrier(New);
      MPI_Comm_free(&New);
    }
    break;
  case 4:
    MPI_Get_processor_name(Value, &N);
    break;
  case 5: {
    double Big[600] = {0};
    MPI_Bcast(Big, 600, MPI_DOUBLE, 0, C->C);
    break;
  }
  default: {
    int Is, Is2;
    MPI_Initialized(&Is);
    MPI_Finalized(&Is2);
    MPI_Query_thread(&Is);
  }
  }
}
