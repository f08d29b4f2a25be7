// Derived datatypes and reduction operations.

#include "Recorder.h"

EXPORT int MPI_Type_contiguous(int count, MPI_Datatype oldtype,
                               MPI_Datatype *newtype) {
  OPEN(MPI_Type_contiguous);
  addInt(&R, "count", count);
  addType(&R, "oldtype", oldtype);
  R.Code = PMPI_Type_contiguous(count, oldtype, newtype);
  addCreated(&R, "newtype", Datatype, HANDLE(*newtype));
  return closeRecord(&R);
}

#define VECTOR(Name, Stride)                                                   \
  EXPORT int MPI_Type_##Name(int count, int blocklength, Stride stride,        \
                             MPI_Datatype oldtype, MPI_Datatype *newtype) {    \
    OPEN(MPI_Type_##Name);                                                     \
    addInt(&R, "count", count);                                                \
    addInt(&R, "blocklength", blocklength);                                    \
    addInt(&R, "stride", stride);                                              \
    addType(&R, "oldtype", oldtype);                                           \
    R.Code = PMPI_Type_##Name(count, blocklength, stride, oldtype, newtype);   \
    addCreated(&R, "newtype", Datatype, HANDLE(*newtype));                     \
    return closeRecord(&R);                                                    \
  }

VECTOR(vector, int)
VECTOR(create_hvector, MPI_Aint)

#define INDEXED(Name, Displacement, addDisplacements)                          \
  EXPORT int MPI_Type_##Name(int count, const int array_of_blocklengths[],     \
                             const Displacement array_of_displacements[],      \
                             MPI_Datatype oldtype, MPI_Datatype *newtype) {    \
    OPEN(MPI_Type_##Name);                                                     \
    addInt(&R, "count", count);                                                \
    addInts(&R, "array_of_blocklengths", array_of_blocklengths, count);        \
    addDisplacements(&R, "array_of_displacements", array_of_displacements,     \
                     count);                                                   \
    addType(&R, "oldtype", oldtype);                                           \
    R.Code = PMPI_Type_##Name(count, array_of_blocklengths,                    \
                              array_of_displacements, oldtype, newtype);       \
    addCreated(&R, "newtype", Datatype, HANDLE(*newtype));                     \
    return closeRecord(&R);                                                    \
  }

INDEXED(indexed, int, addInts)
INDEXED(create_hindexed, MPI_Aint, addAints)

EXPORT int MPI_Type_create_indexed_block(int count, int blocklength,
                                         const int array_of_displacements[],
                                         MPI_Datatype oldtype,
                                         MPI_Datatype *newtype) {
  OPEN(MPI_Type_create_indexed_block);
  addInt(&R, "count", count);
  addInt(&R, "blocklength", blocklength);
  addInts(&R, "array_of_displacements", array_of_displacements, count);
  addType(&R, "oldtype", oldtype);
  R.Code = PMPI_Type_create_indexed_block(
      count, blocklength, array_of_displacements, oldtype, newtype);
  addCreated(&R, "newtype", Datatype, HANDLE(*newtype));
  return closeRecord(&R);
}

EXPORT int MPI_Type_create_struct(int count, const int array_of_blocklengths[],
                                  const MPI_Aint array_of_displacements[],
                                  const MPI_Datatype array_of_types[],
                                  MPI_Datatype *newtype) {
  OPEN(MPI_Type_create_struct);
  addInt(&R, "count", count);
  addInts(&R, "array_of_blocklengths", array_of_blocklengths, count);
  addAints(&R, "array_of_displacements", array_of_displacements, count);
  addTypes(&R, "array_of_types", array_of_types, count);
  R.Code =
      PMPI_Type_create_struct(count, array_of_blocklengths,
                              array_of_displacements, array_of_types, newtype);
  addCreated(&R, "newtype", Datatype, HANDLE(*newtype));
  return closeRecord(&R);
}

EXPORT int MPI_Type_create_subarray(int ndims, const int array_of_sizes[],
                                    const int array_of_subsizes[],
                                    const int array_of_starts[], int order,
                                    MPI_Datatype oldtype,
                                    MPI_Datatype *newtype) {
  static const NamedInt Orders[] = {NAMED(MPI_ORDER_C),
                                    NAMED(MPI_ORDER_FORTRAN)};
  OPEN(MPI_Type_create_subarray);
  addInt(&R, "ndims", ndims);
  addInts(&R, "array_of_sizes", array_of_sizes, ndims);
  addInts(&R, "array_of_subsizes", array_of_subsizes, ndims);
  addInts(&R, "array_of_starts", array_of_starts, ndims);
  addNamed(&R, "order", order, Orders, COUNT(Orders));
  addType(&R, "oldtype", oldtype);
  R.Code = PMPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes,
                                     array_of_starts, order, oldtype, newtype);
  addCreated(&R, "newtype", Datatype, HANDLE(*newtype));
  return closeRecord(&R);
}

EXPORT int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb,
                                   MPI_Aint extent, MPI_Datatype *newtype) {
  OPEN(MPI_Type_create_resized);
  addType(&R, "oldtype", oldtype);
  addInt(&R, "lb", lb);
  addInt(&R, "extent", extent);
  R.Code = PMPI_Type_create_resized(oldtype, lb, extent, newtype);
  addCreated(&R, "newtype", Datatype, HANDLE(*newtype));
  return closeRecord(&R);
}

EXPORT int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype) {
  OPEN(MPI_Type_dup);
  addType(&R, "oldtype", oldtype);
  R.Code = PMPI_Type_dup(oldtype, newtype);
  addCreated(&R, "newtype", Datatype, HANDLE(*newtype));
  return closeRecord(&R);
}

EXPORT int MPI_Type_commit(MPI_Datatype *datatype) {
  OPEN(MPI_Type_commit);
  addType(&R, "datatype", *datatype);
  R.Code = PMPI_Type_commit(datatype);
  return closeRecord(&R);
}

EXPORT int MPI_Type_free(MPI_Datatype *datatype) {
  OPEN(MPI_Type_free);
  uint64_t Handle = HANDLE(*datatype);
  addType(&R, "datatype", *datatype);
  R.Code = PMPI_Type_free(datatype);
  forget(&R, Datatype, Handle);
  return closeRecord(&R);
}

EXPORT int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op) {
  OPEN(MPI_Op_create);
  addName(&R, "user_fn");
  append(&R.Arguments, "\"fn:%llx\"", (unsigned long long)(uintptr_t)user_fn);
  addFlag(&R, "commute", commute);
  R.Code = PMPI_Op_create(user_fn, commute, op);
  addCreated(&R, "op", Op, HANDLE(*op));
  return closeRecord(&R);
}

EXPORT int MPI_Op_free(MPI_Op *op) {
  OPEN(MPI_Op_free);
  uint64_t Handle = HANDLE(*op);
  addOp(&R, "op", *op);
  R.Code = PMPI_Op_free(op);
  forget(&R, Op, Handle);
  return closeRecord(&R);
}
