var searchData=
[
  ['loading_0',['Loading',['../group__loading.html',1,'']]]
];
