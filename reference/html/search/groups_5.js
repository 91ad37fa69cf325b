var searchData=
[
  ['training_0',['Training',['../group__training.html',1,'']]]
];
