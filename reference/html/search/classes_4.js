var searchData=
[
  ['hashes_0',['Hashes',['../structlookupffn_1_1Hashes.html',1,'lookupffn']]]
];
