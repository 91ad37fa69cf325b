var searchData=
[
  ['unsupported_0',['Unsupported',['../namespacelookupffn.html#a516cd63b049142f22c90ed1a2a6bc09e',1,'lookupffn']]]
];
