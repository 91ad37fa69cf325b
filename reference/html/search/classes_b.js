var searchData=
[
  ['tensor_0',['Tensor',['../structlookupffn_1_1Tensor.html',1,'lookupffn']]],
  ['texts_1',['Texts',['../classlookupffn_1_1Texts.html',1,'lookupffn']]],
  ['tokenbatch_2',['TokenBatch',['../structlookupffn_1_1TokenBatch.html',1,'lookupffn']]],
  ['tokencount_3',['TokenCount',['../structlookupffn_1_1TokenCount.html',1,'lookupffn']]],
  ['tokenizeoptions_4',['TokenizeOptions',['../structlookupffn_1_1TokenizeOptions.html',1,'lookupffn']]],
  ['tokenizer_5',['Tokenizer',['../classlookupffn_1_1Tokenizer.html',1,'lookupffn']]],
  ['tokenizerinfo_6',['TokenizerInfo',['../structlookupffn_1_1TokenizerInfo.html',1,'lookupffn']]],
  ['tokens_7',['Tokens',['../classlookupffn_1_1Tokens.html',1,'lookupffn']]],
  ['tokenvectors_8',['TokenVectors',['../structlookupffn_1_1TokenVectors.html',1,'lookupffn']]]
];
