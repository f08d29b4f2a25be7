// A library that is no MPI, and has a function of the name of one of MPI's.
int MPI_Barrier(void) { return 4711; }
