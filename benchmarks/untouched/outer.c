// Hot loops of calls into another file, and small functions between.
unsigned long inner0(unsigned long, unsigned long);
unsigned long inner1(unsigned long, unsigned long);
unsigned long inner2(unsigned long, unsigned long);
unsigned long inner3(unsigned long, unsigned long);

unsigned long outer0(unsigned long A, unsigned long B) {
  unsigned long X = A * 3 + (B >> 2);
  X ^= X >> 5;
  return inner0(X, B) + (A & 7);
}

unsigned long outer1(unsigned long A, unsigned long B) {
  return A & 1 ? inner1(A + B, B) : inner2(A - B, A >> 1);
}

unsigned long outer(long N, unsigned long Seed) {
  unsigned long Sum = Seed;
  for (long I = 0; I < N; ++I)
    Sum += inner0(Sum, (unsigned long)I);
  for (long I = 0; I < N; ++I)
    Sum ^= outer0(Sum, (unsigned long)I) + inner3(Sum, Seed);
  for (long I = 0; I < N; ++I)
    if (Sum & 8)
      Sum += outer1(Sum, (unsigned long)I);
    else
      Sum = inner2(Sum, Seed);
  return Sum;
}
