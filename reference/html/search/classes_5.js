var searchData=
[
  ['int8embeddings_0',['Int8Embeddings',['../structlookupffn_1_1Int8Embeddings.html',1,'lookupffn']]]
];
