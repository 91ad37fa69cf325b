module lookupffn.example {
  requires io.github.lookupffn;
}
