var searchData=
[
  ['data_0',['data',['../classlookupffn_1_1Span.html#ae9e859d85aed881a361e6ed39833d17c',1,'lookupffn::Span']]],
  ['decode_1',['decode',['../classlookupffn_1_1Tokenizer.html#af085b4240563e50b864dd4949f29d2ca',1,'lookupffn::Tokenizer']]],
  ['decode_5fbatch_2',['decode_batch',['../classlookupffn_1_1Tokenizer.html#a51fd53b73eb9c7afce13369021b4d4e0',1,'lookupffn::Tokenizer']]]
];
