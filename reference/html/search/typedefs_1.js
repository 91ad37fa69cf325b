var searchData=
[
  ['cancelled_0',['Cancelled',['../namespacelookupffn.html#ada33eb7be770f3c2f5611b526860cc91',1,'lookupffn']]]
];
