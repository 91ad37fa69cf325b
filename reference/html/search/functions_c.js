var searchData=
[
  ['prompt_0',['prompt',['../classlookupffn_1_1Model.html#a60bf83fb10da074848c341da8fe8b824',1,'lookupffn::Model']]]
];
