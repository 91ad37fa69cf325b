var searchData=
[
  ['lookupffn_0',['lookupffn',['../namespacelookupffn.html',1,'']]]
];
