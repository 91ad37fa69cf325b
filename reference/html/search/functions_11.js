var searchData=
[
  ['value_5fof_0',['value_of',['../namespacelookupffn.html#ae93a04cff861a6681302de5d29c49cf6',1,'lookupffn']]],
  ['view_1',['view',['../classlookupffn_1_1Result.html#a0fa288e837bf9003fbd6bbb4361e64aa',1,'lookupffn::Result::view()'],['../structlookupffn_1_1TokenBatch.html#a049b96e54efd8b33ba996d2055350e76',1,'lookupffn::TokenBatch::view()']]]
];
