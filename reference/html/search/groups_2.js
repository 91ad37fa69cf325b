var searchData=
[
  ['hooks_0',['Hooks',['../group__hooks.html',1,'']]]
];
