var searchData=
[
  ['kind_0',['kind',['../structlffn__tokenizer__info.html#ac07d0be0d8a4dc80ca878893b2ad1d0f',1,'lffn_tokenizer_info']]]
];
