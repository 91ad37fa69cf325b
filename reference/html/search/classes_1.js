var searchData=
[
  ['cancelflag_0',['CancelFlag',['../classlookupffn_1_1CancelFlag.html',1,'lookupffn']]]
];
