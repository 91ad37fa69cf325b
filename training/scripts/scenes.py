# SPDX-License-Identifier: Apache-2.0
"""Sentences about visible scenes, and headlines, generated from word lists: many differ in one word, a number, a negation or
word order. Books and manuals have few such sentences. Two sources of fetch_text.py."""

import random

COUNT = 60_000
PEOPLE = """man woman boy girl child baby person player dancer singer chef cook farmer soldier biker cyclist surfer skier
    climber swimmer runner teacher student doctor nurse fisherman rider clown artist musician guitarist drummer worker
    carpenter painter policeman waiter tourist lady guy kid toddler teenager athlete wrestler boxer golfer skater hiker""".split()
BEASTS = """dog puppy cat kitten horse pony cow sheep goat monkey elephant tiger lion bear panda rabbit squirrel bird parrot
    duck goose turtle fish hamster deer fox wolf""".split()
PEOPLE_WORDS = "young old tall little smiling tired bearded bald blond barefoot shirtless happy elderly strong".split()
BEAST_WORDS = "brown black white small big wet spotted furry hungry gray yellow wild".split()
THING_WORDS = "red blue green yellow white black large small wooden old new broken empty shiny".split()
MANY = {"man": "men", "woman": "women", "child": "children", "person": "people", "baby": "babies", "lady": "ladies",
        "fisherman": "fishermen", "policeman": "policemen", "puppy": "puppies", "pony": "ponies", "sheep": "sheep",
        "monkey": "monkeys", "fish": "fish", "deer": "deer", "wolf": "wolves", "goose": "geese"}
INSTRUMENTS = "guitar piano flute violin drum trumpet keyboard harp cello saxophone accordion banjo".split()
FOODS = """potato tomato onion carrot cucumber banana apple orange pepper fish egg cake pizza sandwich loaf melon mushroom
    pumpkin lemon pineapple shrimp steak""".split()
STUFF = "bread meat rice pasta soup butter cheese garlic salad chicken dough broccoli tofu pork beef".split()
VEHICLES = "bike bicycle motorcycle scooter skateboard horse camel elephant tractor bus train boat jet-ski surfboard".split()
THINGS = """ball bag box book camera phone umbrella hat bottle cup plate knife rope stick flag sign balloon towel basket
    bucket ladder hammer toy doll newspaper microphone kite flower gun sword stone chair""".split()
TOYS = "ball stick bone frisbee rope toy shoe sock leaf branch".split()
GAMES = "soccer football basketball baseball tennis golf chess cards volleyball hockey rugby".split()
PLACES = """in the park|on the beach|in the street|at home|in the kitchen|on a stage|in the snow|in the water|near a lake|by
    the river|on the grass|in a field|in the woods|on a mountain|in a pool|on a bench|on the couch|in a room|in the yard|
    behind a fence|under a tree|in front of a house|beside a car|on a roof|near the ocean|at the table|on the floor|in a gym|
    in the rain|in the city|at night|outdoors|indoors|in the sand|on a rock|on a bridge|in a crowd|in the background|at a
    party|in a restaurant|on a dirt road|in the mud|in the air""".replace("\n    ", " ").replace("| ", "|").split("|")
# -ing form, passive participle, what follows: a list's name, or "" for nothing.
DOING = [("playing", "played", "the INSTRUMENTS"), ("playing", "played", "GAMES"), ("riding", "ridden", "a VEHICLES"),
         ("cutting", "cut", "a FOODS"), ("slicing", "sliced", "a FOODS"), ("peeling", "peeled", "a FOODS"),
         ("cooking", "cooked", "some STUFF"), ("eating", "eaten", "some STUFF"), ("eating", "eaten", "a FOODS"),
         ("frying", "fried", "some STUFF"), ("mixing", "mixed", "some STUFF"), ("pouring", "poured", "some LIQUIDS"),
         ("drinking", "drunk", "some LIQUIDS"), ("holding", "held", "a THINGS"), ("carrying", "carried", "a THINGS"),
         ("throwing", "thrown", "a THINGS"), ("painting", "painted", "a THINGS"), ("cleaning", "cleaned", "a THINGS"),
         ("lifting", "lifted", "a THINGS"), ("breaking", "broken", "a THINGS"), ("opening", "opened", "a THINGS"),
         ("feeding", "fed", "a BEASTS"), ("petting", "petted", "a BEASTS"), ("brushing", "brushed", "a BEASTS"),
         ("hugging", "hugged", "a PEOPLE"), ("kicking", "kicked", "a THINGS"), ("pushing", "pushed", "a VEHICLES"),
         ("fixing", "fixed", "a VEHICLES"), ("washing", "washed", "a VEHICLES"), ("drawing", "drawn", "a BEASTS"),
         ("watching", "watched", "a BEASTS"), ("talking to", "talked to", "a PEOPLE"), ("lifting", "lifted", "some weights"),
         ("singing", "sung", "a song"), ("writing", "written", "a letter"), ("climbing", "climbed", "a wall")]
ALONE = """running walking dancing singing sleeping swimming jumping smiling laughing crying sitting standing talking resting
    exercising fishing diving skating climbing kneeling cooking reading waiting|lying down|doing a trick|taking a picture|
    making a phone call|brushing teeth|putting on makeup|doing push-ups|shaking hands|falling down|waving|clapping|shouting|
    looking at a map|flying a kite|crossing the street|looking into the distance""".replace("\n    ", " ")
ALONE = [part.strip() for chunk in ALONE.split("|") for part in (chunk.split() if chunk.startswith("running") else [chunk])]
BEASTS_DOING = [("chasing", "chased", "a BEASTS"), ("biting", "bitten", "a TOYS"), ("carrying", "carried", "a TOYS"),
                ("catching", "caught", "a TOYS"), ("licking", "licked", "a PEOPLE"), ("following", "followed", "a PEOPLE"),
                ("eating", "eaten", "some STUFF"), ("playing with", "played with", "a TOYS"),
                ("watching", "watched", "a BEASTS"), ("attacking", "attacked", "a BEASTS")]
BEASTS_ALONE = """running swimming sleeping barking jumping resting sitting standing rolling drinking digging|lying down|
    jumping over a hurdle|looking at the camera|shaking off water|climbing a tree|walking through tall grass""".split("|")
BEASTS_ALONE = [part.strip() for i, chunk in enumerate(BEASTS_ALONE) for part in (chunk.split() if i == 0 else [chunk])]
LISTS = {"INSTRUMENTS": INSTRUMENTS, "FOODS": FOODS, "STUFF": STUFF, "VEHICLES": VEHICLES, "THINGS": THINGS, "TOYS": TOYS,
         "GAMES": GAMES, "BEASTS": BEASTS, "PEOPLE": PEOPLE, "LIQUIDS": "water milk oil coffee tea juice wine sauce".split()}
COUNTRIES = """Syria Egypt India China Iran Iraq Israel Russia Ukraine Turkey Greece Spain Italy France Germany Britain Japan
    Pakistan Afghanistan Nigeria Kenya Sudan Libya Brazil Mexico Cuba Canada Australia Indonesia Thailand Vietnam Poland""".split()
OFFICES = """president|prime minister|foreign minister|opposition leader|court|parliament|central bank|police chief|army|
    government|finance minister|envoy|health officials|union|airline|football coach""".replace("\n    ", "").split("|")
TOPICS = """peace talks|nuclear deal|new sanctions|election result|budget cuts|tax plan|trade deal|ceasefire|border clashes|
    protests|gas prices|bailout|arms sales|climate pact|corruption trial|hostage crisis|currency crisis|food aid|troop
    withdrawal|voting law|pension reform|rescue effort""".replace("\n    ", " ").replace("| ", "|").split("|")
CLAIMS = "rejects backs discusses delays welcomes condemns approves suspends defends criticises announces ends resumes".split()
HARM = """bomb blast|car bombing|earthquake|plane crash|train crash|floods|factory fire|shooting|ferry accident|landslide|air
    strike|bus crash|storm|mine explosion|clashes|suicide attack|heat wave""".replace("\n    ", " ").split("|")
FIRMS = """carmaker|airline|oil firm|retailer|bank|drug maker|chip maker|phone maker|insurer|media group|brewer|steel
    maker""".replace("\n    ", " ").split("|")
MOVES, DAYS = "rise fall jump drop slip climb".split(), "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
PERCENTS = "2% 3% 5% 0.4% 8% 12% 20% 35%".split()
SPORTS = "cricket|football|tennis|rugby|hockey|basketball|World Cup|Olympic|Davis Cup|Six Nations".split("|")
NUMBERS = "two three four five six seven eight nine ten dozens hundreds 12 15 20 28 30 41 50 65 100 thousands".split()


def plural(noun):
    if noun in MANY:
        return MANY[noun]
    return noun + ("es" if noun.endswith(("s", "sh", "ch", "x")) else "s")


def with_article(words):
    return ("an " if words[0] in "aeiou" else "a ") + words


class Scene:
    """Who does what where; told in several ways, and changed in one part."""

    def __init__(self, draw):
        self.draw = draw
        self.is_beast = draw.random() < 0.3
        self.alone = BEASTS_ALONE if self.is_beast else ALONE
        self.noun = draw.choice(BEASTS if self.is_beast else PEOPLE)
        self.word = draw.choice(BEAST_WORDS if self.is_beast else PEOPLE_WORDS) if draw.random() < 0.35 else ""
        self.number = draw.choice(["a", "a", "a", "the", "two", "three", "some", "a group of"])
        self.act()
        self.place = draw.choice(PLACES) if draw.random() < 0.5 else ""

    def act(self):
        doing = BEASTS_DOING if self.is_beast else DOING
        self.verb, self.done, pattern = self.draw.choice(doing) if self.draw.random() < 0.65 else \
            (self.draw.choice(self.alone), "", "")
        article, _, kind = pattern.partition(" ") if " " in pattern else ("", "", pattern)
        noun = self.draw.choice(LISTS[kind]) if kind in LISTS else kind
        if kind in ("THINGS", "VEHICLES", "TOYS") and self.draw.random() < 0.25:
            noun = f"{self.draw.choice(THING_WORDS)} {noun}"
        self.object = with_article(noun) if article == "a" else f"{article} {noun}".strip()

    def who(self):
        words = f"{self.word} {self.noun if self.number in ('a', 'the') else plural(self.noun)}".strip()
        return with_article(words) if self.number == "a" else f"{self.number} {words}"

    @property
    def verb_is(self):
        return "is" if self.number in ("a", "the", "a group of") else "are"

    def told(self):
        what = f"{self.verb} {self.object}".strip()
        place, form = f" {self.place}" if self.place else "", self.draw.random()
        if form < 0.45:
            return f"{self.who()} {self.verb_is} {what}{place}"
        if form < 0.57:
            return f"{self.who()} {self.verb_is} not {what}{place}"
        if form < 0.64:
            return f"there {'is' if self.number in ('a', 'the') else 'are'} no " \
                   f"{self.noun if self.number in ('a', 'the') else plural(self.noun)} {what}{place}"
        if form < 0.68 and not self.is_beast:
            return f"nobody is {what}{place}"
        if form < 0.82 and self.object and self.done:
            return f"{self.object} is being {self.done} by {self.who()}{place}"
        if form < 0.92:
            return f"{self.who()} {what}{place}"
        return f"{self.who()} {self.verb_is} {what}{place} and {self.verb_is} {self.draw.choice(self.alone)}"

    def change(self):
        part = self.draw.randrange(5)
        if part == 0:
            self.noun = self.draw.choice(BEASTS if self.is_beast else PEOPLE)
        elif part == 1:
            self.word = self.draw.choice(BEAST_WORDS if self.is_beast else PEOPLE_WORDS)
        elif part == 2:
            self.number = self.draw.choice(["a", "the", "two", "three", "a group of"])
        elif part == 3:
            self.act()
        else:
            self.place = self.draw.choice(PLACES)


class Headline:
    """Who did what to whom, or what harm came where; told in several ways, and changed in one part."""

    LISTS = {"place": COUNTRIES, "other": COUNTRIES, "office": OFFICES, "topic": TOPICS, "claim": CLAIMS, "harm": HARM,
             "number": NUMBERS, "firm": FIRMS, "move": MOVES, "day": DAYS, "sport": SPORTS, "percent": PERCENTS}
    FRAMES = (
        ("{number} killed in {place} {harm}", "{number} dead after {harm} in {place}", "{place} {harm} kills {number}",
         "{harm} leaves {number} dead in {place}", "{harm} in {place} injures {number}", "{number} missing in {place} {harm}",
         "{place}: {number} feared dead in {harm}", "{number} rescued after {place} {harm}", "{harm} hits {place} on {day}",
         "Toll in {place} {harm} rises to {number}", "No victims in {place} {harm}, officials say"),
        ("{place} {office} {claim} {topic}", "{place}'s {office} {claim} {topic}", "{office} of {place} {claim} {topic}",
         "{topic}: {place} {office} speaks on {day}", "{place} {office} resigns over {topic}",
         "{place} {office} says {topic} must wait", "{office} in {place} will not comment on {topic}"),
        ("{place} warns {other} over {topic}", "{place} and {other} agree on {topic}", "{place} accuses {other} over {topic}",
         "{place}, {other} hold talks on {topic}", "{other} rejects {place}'s view of {topic}",
         "{place} urges {other} to act on {topic}", "Talks between {place} and {other} on {topic} fail"),
        ("{firm} {move} {percent} on {day}", "{firm} shares {move} {percent}", "{place} stocks {move} {percent} on {topic}",
         "Shares of {firm} {move} by {percent} in {place}", "{firm} says profit to {move} {percent}",
         "{place}'s economy to {move} {percent}, {office} says", "{firm} to cut {number} jobs in {place}"),
        ("{place} beat {other} to reach {sport} final", "{other} lose to {place} in {sport} final",
         "{place} through to {sport} final after win over {other}", "{place} and {other} draw in {sport}",
         "{sport}: {place} beaten by {other}", "{place} coach quits after {sport} defeat by {other}"))

    def __init__(self, draw):
        self.draw, self.frames = draw, draw.choice(self.FRAMES)
        self.parts = {name: draw.choice(choices) for name, choices in self.LISTS.items()}

    def told(self):
        return self.draw.choice(self.frames).format(**self.parts)

    def change(self):
        name = self.draw.choice(list(self.parts))
        self.parts[name] = self.draw.choice(self.LISTS[name])


def sentences(_root=None, count=None, seed=1):
    """Scenes in groups that resemble each other, at times two in one sentence."""
    draw, made = random.Random(seed), 0
    count = count or COUNT
    while made < count:
        scene, told = Scene(draw), []
        for _ in range(draw.randint(1, 5)):
            told.append(scene.told())
            scene.change()
        if len(told) > 3:
            told = [f"{told[0]} {draw.choice(['and', 'while'])} {Scene(draw).told()}", *told[1:]]
        for text in told:
            yield text[0].upper() + text[1:] + draw.choice([".", ".", ""])
        made += len(told)


def headlines(_root=None, count=None, seed=3):
    """Headlines in groups that resemble each other."""
    draw, made = random.Random(seed), 0
    count = count or COUNT
    while made < count:
        headline = Headline(draw)
        for _ in range(draw.randint(1, 4)):
            text = headline.told()
            yield text[0].upper() + text[1:]
            headline.change()
            made += 1
