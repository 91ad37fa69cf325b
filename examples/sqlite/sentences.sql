-- SPDX-License-Identifier: Apache-2.0
-- 5,000 sentences to search in.
CREATE TABLE sentences(id INTEGER PRIMARY KEY, text TEXT);
WITH who(who) AS (VALUES ('A young doctor'), ('My neighbour'), ('The old sailor'), ('A tired student'), ('Our cook'),
                         ('The new teacher'), ('A small child'), ('The farmer'), ('A famous singer'), ('The engineer')),
     does(does) AS (VALUES ('repairs'), ('paints'), ('sells'), ('carries'), ('cleans'),
                           ('draws'), ('buys'), ('hides'), ('measures'), ('photographs')),
     what(what) AS (VALUES ('a bicycle'), ('the fishing boat'), ('a wooden chair'), ('an old violin'), ('the soup pot'),
                           ('a big map'), ('the garden gate'), ('a basket of apples'), ('the telescope'), ('a lamp')),
     place(place) AS (VALUES ('at the harbour'), ('in the kitchen'), ('before breakfast'), ('on a rainy day'), ('in spring'))
INSERT INTO sentences(text) SELECT who || ' ' || does || ' ' || what || ' ' || place || '.' FROM who, does, what, place;
