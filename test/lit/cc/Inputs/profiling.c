// A program's own MPI_Send and MPI_Recv of mpi_f08: they count, and go on.
void pmpir_send_f08ts_(void *, int *, int *, int *, int *, int *, int *);
void pmpir_recv_f08ts_(void *, int *, int *, int *, int *, int *, int *, int *);
extern struct { int Sent, Received; } counts_;

void mpi_send_f08ts_(void *Buf, int *Count, int *Type, int *Dest, int *Tag, int *Comm, int *Error) {
  ++counts_.Sent;
  pmpir_send_f08ts_(Buf, Count, Type, Dest, Tag, Comm, Error);
}
void mpi_recv_f08ts_(void *Buf, int *Count, int *Type, int *Source, int *Tag, int *Comm, int *Status, int *Error) {
  ++counts_.Received;
  pmpir_recv_f08ts_(Buf, Count, Type, Source, Tag, Comm, Status, Error);
}
