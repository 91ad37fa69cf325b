var searchData=
[
  ['begin_0',['begin',['../classlookupffn_1_1Span.html#a99201df6df41a10420666315dcc23882',1,'lookupffn::Span']]]
];
