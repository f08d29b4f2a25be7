#include "test/unit/TraceFixture.h"
#include "trace/merge/Merge.h"

namespace pilgrim::test {

const std::map<std::string, FixtureFunction> &fixtureFunctions() {
  auto P = [](const char *Name, Kind K, bool Out = false, bool Array = false, const char *Names = "") {
    ParamSchema S;
    S.Name = Name;
    S.K = K;
    S.IsOutput = Out;
    S.IsArray = Array;
    S.Names = Names;
    return S;
  };
  auto Hidden = [&](bool Array) {
    ParamSchema S = P("matched", Kind::Status, true, Array);
    S.IsHidden = true;
    return S;
  };
  auto Machine = [](ParamSchema S) {
    S.IsMachine = true;
    return S;
  };
  auto Flags = [](ParamSchema S) {
    S.IsFlags = true;
    return S;
  };
  auto Said = [](ParamSchema S, std::vector<SlotRelation> Relations) {
    S.Said = std::move(Relations);
    return S;
  };
  auto Make = [&](uint32_t Id, bool Collective, std::vector<ParamSchema> S) {
    S.insert(S.begin(), P("", Kind::Error, true, false, "error"));
    return FixtureFunction{Id, Collective, std::move(S)};
  };
  ParamSchema Count = P("count", Kind::Count), Type = P("datatype", Kind::Datatype, false, false, "datatype"),
              Comm = P("comm", Kind::Comm, false, false, "comm"), Tag1 = P("tag", Kind::Tag, false, false, "tag"),
              Source = P("source", Kind::Rank, false, false, "rank"),
              Dest = P("dest", Kind::Rank, false, false, "rank"), Root = P("root", Kind::Rank, false, false, "rank"),
              In = P("buf", Kind::Buffer), Out = P("buf", Kind::Buffer, true),
              Request = P("request", Kind::Request, true, false, "request"), Status = P("status", Kind::Status, true);
  static const std::map<std::string, FixtureFunction> Table = {
      {"MPI_Init", Make(200, true, {P("argc", Kind::Int, true), P("argv", Kind::Strings, true, true)})},
      {"MPI_Finalize", Make(201, true, {})},
      {"MPI_Send", Make(1, false, {In, Count, Type, Dest, Tag1, Comm})},
      {"MPI_Recv", Make(2, false, {Out, Count, Type, Source, Tag1, Comm, Status, Hidden(false)})},
      {"MPI_Isend", Make(12, false, {In, Count, Type, Dest, Tag1, Comm, Request})},
      {"MPI_Irecv", Make(16, false, {Out, Count, Type, Source, Tag1, Comm, Request})},
      {"MPI_Iprobe", Make(11, false, {Source, Tag1, Comm, P("flag", Kind::Flag, true), Status, Hidden(false)})},
      {"MPI_Request_get_status",
       Make(25, false, {P("request", Kind::Request), P("flag", Kind::Flag, true), Status, Hidden(false)})},
      {"MPI_Waitall", Make(26, false,
                           {P("count", Kind::Count), P("array_of_requests", Kind::Request, true, true, "request"),
                            P("array_of_statuses", Kind::Status, true, true), Hidden(true)})},
      {"MPI_Bcast", Make(173, true, {P("buffer", Kind::Buffer, true), Count, Type, Root, Comm})},
      {"MPI_Alltoallv", Make(190, true,
                             {P("sendbuf", Kind::Buffer), P("sendcounts", Kind::Count, false, true),
                              P("sdispls", Kind::Displacement, false, true),
                              P("sendtype", Kind::Datatype, false, false, "datatype"), P("recvbuf", Kind::Buffer, true),
                              P("recvcounts", Kind::Count, false, true), P("rdispls", Kind::Displacement, false, true),
                              P("recvtype", Kind::Datatype, false, false, "datatype"), Comm})},
      {"MPI_Allreduce", Make(205, true,
                             {P("sendbuf", Kind::Buffer), P("recvbuf", Kind::Buffer, true), Count, Type,
                              P("op", Kind::Op, false, false, "op"), Comm})},
      {"MPI_Mrecv", Make(21, false,
                         {Out, Count, Type,
                          Said(P("message", Kind::Message, true, false, "message"), {{Relation::Frees}}), Status})},
      {"MPI_Sendrecv_replace", Make(7, false,
                                    {Said(Out, {{Relation::ReadAndWritten}}), Count, Type, Dest, Tag1, Source, Tag1,
                                     Comm, Status, Hidden(false)})},
      {"MPI_Gather", Make(176, true,
                          {P("sendbuf", Kind::Buffer), P("sendcount", Kind::Count), Type,
                           Said(P("recvbuf", Kind::Buffer, true), {{Relation::PerProcess}}),
                           P("recvcount", Kind::Count), P("recvtype", Kind::Datatype), Root, Comm})},
      {"MPI_Scatter",
       Make(182, true,
            {Said(P("sendbuf", Kind::Buffer), {{Relation::PerProcess}, {Relation::AtRoot}}),
             P("sendcount", Kind::Count), Type, Said(P("recvbuf", Kind::Buffer, true), {{Relation::Everywhere}}),
             P("recvcount", Kind::Count), P("recvtype", Kind::Datatype), Root, Comm})},
      {"MPI_Reduce_scatter_block",
       Make(209, true,
            {Said(P("sendbuf", Kind::Buffer), {{Relation::PerMember}}), P("recvbuf", Kind::Buffer, true), Count, Type,
             P("op", Kind::Op, false, false, "op"), Comm})},
      {"MPI_Reduce_scatter",
       Make(212, true,
            {P("sendbuf", Kind::Buffer), Said(P("recvbuf", Kind::Buffer, true), {{Relation::OwnCount}}),
             P("recvcounts", Kind::Count, false, true), Type, P("op", Kind::Op, false, false, "op"), Comm})},
      {"MPI_Comm_dup", Make(60, true, {Comm, P("newcomm", Kind::Comm, true, false, "comm")})},
      {"MPI_Comm_free", Make(61, true, {P("comm", Kind::Comm, true, false, "comm")})},
      {"MPI_Comm_group",
       Make(62, false, {Comm, Said(P("group", Kind::Group, true, false, "group"), {{Relation::Finds}})})},
      {"MPI_Group_size", Make(63, false, {P("group", Kind::Group, false, false, "group"), P("size", Kind::Int, true)})},
      {"MPI_Group_free", Make(64, false, {P("group", Kind::Group, true, false, "group")})},
      {"MPI_Get_address", Make(130, false, {P("location", Kind::Buffer), Machine(P("address", Kind::Address, true))})},
      {"MPI_Get_processor_name",
       Make(220, false, {Machine(P("name", Kind::String, true)), P("resultlen", Kind::Int, true)})},
      {"MPI_File_open", Make(300, true,
                             {Comm, P("filename", Kind::String), Flags(P("amode", Kind::Int, false, false, "amode")),
                              P("info", Kind::Info, false, false, "info"), P("fh", Kind::File, true, false, "file")})},
      {"MPI_Op_create",
       Make(230, false,
            {P("user_fn", Kind::Function), P("commute", Kind::Flag), P("op", Kind::Op, true, false, "op")})},
  };
  return Table;
}

FixtureValue world(int64_t Rank, int64_t World) {
  return object({Kind::Comm, "MPI_COMM_WORLD", {0, Rank, World, 0, -1}});
}

FixtureValue comm(int64_t Id, int64_t Rank, int64_t World) {
  return object({Kind::Comm, "", {Id, Rank, World, 0, -1}});
}

FixtureValue intType() { return object({Kind::Datatype, "MPI_INT", {0, 4}}); }

TraceData sampleRank(uint32_t World, uint32_t Rank, const SampleChange &Change, bool Timed) {
  int64_t R = Rank, W = World, N = Change.Names;
  RankTrace T(World, Rank);
  auto Comm = [&] { return world(R, W); };
  T.add({"MPI_Init", {ok(), word(2), text(std::string("./sample\0-n\0", 12))}, 0x1010});
  T.add({"MPI_Comm_dup", {ok(), Comm(), comm(2 + N, R, W)}, 0x1020});
  for (int64_t I = 0; I < 50; ++I)
    T.add({"MPI_Send",
           {ok(), heap(3 + N, 64), word(10), intType(), word((R + 1) % W),
            word(I == 2 ? I * I + Change.TagAt2 : I * I).stream(), Comm()},
           0x1030});
  for (int64_t I = 0; I < 50; ++I)
    T.add({"MPI_Recv",
           {ok(), stack(-328 + Change.Place), word(10), intType(), word(-2), word(-1), Comm(),
            name("MPI_STATUS_IGNORE"), status((R + W - 1) % W, I * I, 40).stream()},
           0x1040});
  T.add(
      {"MPI_Irecv",
       {ok(), data("app", 1234 + Change.Place), word(1), intType(), word(-2), word(7), comm(2 + N, R, W), word(5 + N)},
       0x1050});
  T.add({"MPI_Isend",
         {ok(), data("app", 2000 + Change.Place), word(1), intType(), word((R + 1) % W), word(7), comm(2 + N, R, W),
          word(6 + N)},
         0x1060});
  T.add({"MPI_Waitall",
         {ok(), word(2), array({5 + N, 6 + N}), name("MPI_STATUSES_IGNORE"),
          statuses({(R + W - 1) % W, 7, 4, 0, NoStatus, 0, 0, 0})},
         0x1070});
  T.add({"MPI_Op_create", {ok(), text("combine"), word(1), word(1 + N)}, 0x1080});
  T.add({"MPI_Allreduce",
         {ok(), name("MPI_IN_PLACE"), heap(3 + N, 0), word(3), intType(), word(1 + N), Comm()},
         0x1090,
         {{"MPI_Iprobe", {ok(), word(-2), word(-1), Comm(), word(0), absent(), absent()}, 0x2010},
          {"MPI_Iprobe", {ok(), word(-2), word(3), Comm(), word(1), status(0, 3, 8), absent()}, 0x2020}}});
  T.add({"MPI_File_open",
         {ok(), Comm(), text("out \"x\"\n"), word(5), word(-1), object({Kind::File, "", {1 + N, R, W}})},
         0x10a0});
  T.add({"MPI_Get_address", {ok(), heap(4 + N, 0), {Tag::Raw, {0x7f0012345678 + N}, {}, {}, false}}, 0x10b0});
  // The root's and the others' calls are different variants.
  if (Rank == 0)
    T.add({"MPI_Alltoallv",
           {ok(), heap(4 + N, 0), array({1, 2, 3, 4}), array({0, 1, 3, 6}), intType(), heap(5 + N, 0),
            array({1, 1, 1, 1}), array({0, 1, 2, 3}), intType(), Comm()},
           0x10c0});
  else
    T.add({"MPI_Alltoallv",
           {ok(), bare(Tag::Null), array({0, 0, 0, 0}), array({0, 0, 0, 0}), intType(), heap(5 + N, 0),
            array({1, 1, 1, 1}), array({0, 1, 2, 3}), intType(), Comm()},
           0x10c0});
  T.add(
      {"MPI_Bcast", {ok(), heap(Change.OtherBuffer ? 9 + N : 3 + N, 64), word(2), intType(), word(0), Comm()}, 0x10d0});
  T.add({"MPI_Comm_free", {ok(), comm(2 + N, R, W)}, 0x10e0});
  if (!Change.Short)
    T.add({"MPI_Finalize", {ok()}, 0x10f0});
  return T.take(Timed);
}

TraceData sampleTrace(uint32_t World, const SampleChange &C, bool Timed) {
  TraceData All;
  for (uint32_t R = 0; R < World; ++R) {
    TraceData One = sampleRank(World, R, C, Timed);
    deriveCandidates(One);
    if (R == 0)
      All = std::move(One);
    else
      merge(All, std::move(One));
  }
  chooseCandidates(All);
  return All;
}

RankTrace::RankTrace(uint32_t World, uint32_t Rank, uint32_t Thread) {
  T.World = World;
  T.Ranks = RankSet(Rank);
  T.Meta = {{"program", "sample"}, {"timing", "mean"}, {"options", "mode=auto:timing=mean"}};
  static const std::tuple<const char *, int64_t, const char *> Names[] = {
      {"error", 0, "MPI_SUCCESS"},         {"error", 15, "MPI_ERR_TRUNCATE"},
      {"rank", -2, "MPI_ANY_SOURCE"},      {"rank", -1, "MPI_PROC_NULL"},
      {"tag", -1, "MPI_ANY_TAG"},          {"amode", 1, "MPI_MODE_CREATE"},
      {"amode", 4, "MPI_MODE_WRONLY"},     {"op", -4, "MPI_SUM"},
      {"request", -1, "MPI_REQUEST_NULL"}, {"info", -1, "MPI_INFO_NULL"}};
  for (auto [Key, Value, Name] : Names)
    T.Names[{Key, Value}] = Name;
  G.Thread = Thread;
}

RankTrace &RankTrace::add(const FixtureCall &C, uint32_t Depth) {
  for (const FixtureCall &In : C.Inside)
    add(In, Depth + 1);
  append(C, Depth);
  return *this;
}

TraceData RankTrace::take(bool Timed) {
  setCalls(G, T.Ranks, Calls.data(), Streams, Timed ? 2000 : 0, 1000);
  T.Groups.push_back(std::move(G));
  return std::move(T);
}

uint32_t RankTrace::enter(TableId Id, std::vector<uint32_t> Tokens, const std::vector<int64_t> &Words) {
  Table &Tab = G.table(Id);
  auto [It, New] = Index[static_cast<unsigned>(Id)].try_emplace({Tokens, Words}, static_cast<uint32_t>(Tab.size()));
  if (New) {
    Variant V;
    V.Ranks = T.Ranks;
    V.Tokens = std::move(Tokens);
    for (int64_t W : Words)
      V.Words.emplace_back(W);
    Tab.push_back({std::move(V)});
  }
  return It->second;
}

uint32_t RankTrace::refer(const FixtureObject &O) {
  return enter(TableId::Objects, {static_cast<uint32_t>(O.K), O.Name.empty() ? 0 : refer(O.Name) + 1}, O.Words);
}

void RankTrace::append(const FixtureCall &C, uint32_t Depth) {
  const FixtureFunction &F = fixtureFunctions().at(C.Function);
  T.Functions[F.Id] = {F.Id, C.Function, F.IsCollective, F.Slots};
  std::vector<uint32_t> Tokens{F.Id, 0, Depth};
  if (C.Site)
    Tokens[1] = enter(TableId::Sites, {refer(std::string("app")), 0}, {C.Site}) + 1;
  std::vector<int64_t> Words;
  for (uint32_t I = 0; I < F.Slots.size(); ++I)
    appendSlot(I < C.Slots.size() ? C.Slots[I] : absent(), {F.Id, Tokens[1], I, 0}, Tokens, Words, Streams,
               [&](const auto &X) { return refer(X); });
  Calls.append(enter(TableId::Signatures, std::move(Tokens), Words));
}

} // namespace pilgrim::test
