var searchData=
[
  ['question_0',['question',['../structlffn__answer__args.html#a2ccac36d244a3806fb519eb821f4ddd8',1,'lffn_answer_args']]],
  ['question_5fsize_1',['question_size',['../structlffn__answer__args.html#a6245502c02f185f7fb79fd7da1d1f820',1,'lffn_answer_args']]]
];
