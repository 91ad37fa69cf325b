var searchData=
[
  ['answer_0',['Answer',['../structlookupffn_1_1Answer.html',1,'lookupffn']]],
  ['answeroptions_1',['AnswerOptions',['../structlookupffn_1_1AnswerOptions.html',1,'lookupffn']]],
  ['attempt_2',['Attempt',['../structlookupffn_1_1Attempt.html',1,'lookupffn']]]
];
