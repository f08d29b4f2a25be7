// Functions of about ten instructions, called from another file: what calls
// them cannot know that they do not communicate.
#define FUNCTION(Name, Shift, Factor)                                          \
  unsigned long Name(unsigned long A, unsigned long B) {                       \
    unsigned long X = (A ^ B >> (Shift)) * (Factor);                           \
    X += A & 0xff;                                                             \
    X ^= X >> 7;                                                               \
    return X + B;                                                              \
  }
FUNCTION(inner0, 3, 5)
FUNCTION(inner1, 5, 7)
FUNCTION(inner2, 9, 11)
FUNCTION(inner3, 11, 13)
