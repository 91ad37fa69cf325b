# SPDX-License-Identifier: Apache-2.0
"""Customers' questions, generated from word lists: many ways to say the same, and many questions that differ in one part. Books
and manuals have few such sentences. A source of fetch_text.py."""

import random

COUNT = 60_000
# Of each trade: what may be wrong, "thing: what happened to it"; what one wants, "verb, past, object"; what it takes or costs.
TRADES = {
    "bank": ("""card: declined, swallowed by the machine, stolen, lost, damaged, blocked, about to expire, not accepted, late
        payment: refused, still pending, taken twice, sent to the wrong person, missing, reversed, higher than expected
        transfer: late, not there yet, cancelled, stuck, sent by mistake, returned
        account: locked, frozen, overdrawn, closed, not verified, empty
        PIN: wrong, forgotten, blocked, not sent
        balance: wrong, not up to date, lower than it should be
        cash withdrawal: short, not mine, charged, refused, listed twice
        direct debit: unknown to me, taken early, too high, not allowed by me
        salary: not there, late, smaller than usual""",
             """open/opened/a savings account, close/closed/my account, order/ordered/a new card, cancel/cancelled/a transfer,
        change/changed/my PIN, top up/topped up/my account, exchange/exchanged/pounds for euros, send/sent/money abroad, freeze/
        frozen/my card, activate/activated/my new card, deposit/deposited/a cheque, verify/verified/my identity, withdraw/
        withdrawn/cash, link/linked/my card to the app, raise/raised/my limit, dispute/disputed/a charge, add/added/a second
        card for my wife, get/got/a receipt, pay/paid/with my phone, split/split/a bill, receive/received/my salary""",
             "exchange rate, fee, transfer fee, daily limit, interest rate, overdraft fee, cash machine fee, minimum age"),
    "shop": ("""parcel: late, lost, damaged, not delivered, left with a neighbour, opened before it came, empty
        order: incomplete, cancelled, delayed, charged twice, still not shipped
        refund: late, too small, refused, missing, still not there
        voucher: expired, not accepted, already used, invalid
        shoes: too small, too big, of the wrong colour, falling apart, two left ones
        washing machine: leaking, broken, louder than it should be, dented""",
             """return/returned/a dress, track/tracked/my parcel, change/changed/my delivery address, cancel/cancelled/my order,
        use/used/a voucher, exchange/exchanged/a shirt for a larger one, reorder/reordered/the same shoes, pay/paid/by invoice,
        pick up/picked up/my parcel at the shop, delete/deleted/my data, unsubscribe/unsubscribed/from your letters""",
             "delivery time, delivery charge, return period, warranty, price of express delivery, discount for students"),
    "phone": ("""phone: locked, without signal, overheating, stuck while starting, out of memory
        internet connection: slow, down, cut off every evening, unstable
        bill: too high, wrong, missing, not itemised
        contract: about to end, extended without my consent, more expensive than agreed
        router: blinking red, not found, too old, restarting by itself
        number: not transferred yet, blocked, wrong on the contract""",
              """keep/kept/my number, change/changed/my tariff, block/blocked/a caller, end/ended/my contract, use/used/my phone
        abroad, set up/set up/my voicemail, move/moved/my line to a new flat, buy/bought/more data, unlock/unlocked/my phone,
        reset/reset/the router, activate/activated/an eSIM""",
              "roaming charge, notice period, data limit, price per minute, connection fee"),
    "travel": ("""flight: cancelled, delayed, overbooked, moved to another day
        train: late, full, not running today, stopped between stations
        suitcase: lost, broken, too heavy, sent to another city
        booking: not found, made for the wrong day, not confirmed, paid twice
        room: dirty, noisy, not the one in the picture, already taken
        seat: not next to my child's, broken, given to someone else""",
               """change/changed/my seat, cancel/cancelled/my flight, book/booked/a room for three nights, take/taken/my dog on
        the train, add/added/a suitcase, check in/checked in/online, choose/chosen/a meal, claim/claimed/money for a delay,
        bring/brought/a bicycle, rent/rented/a car, extend/extended/my stay, correct/corrected/the name on my ticket""",
               "baggage limit, cancellation fee, check-in time, price for children, deposit, price of breakfast"),
    "software": ("""password: forgotten, rejected, expired, too short
        app: crashing, frozen, not starting after the update, in the wrong language, slow
        file: corrupt, gone, too large, read-only
        screen: black, flickering, upside down
        printer: offline, out of paper, printing blank pages
        update: stuck, failing, refused, not offered to me
        subscription: renewed without asking, expired, not recognised""",
                 """reset/reset/my password, restore/restored/a deleted file, share/shared/a folder, install/installed/the app on
        a second computer, export/exported/my contacts, turn off/turned off/notifications, change/changed/the language, merge/
        merged/two accounts, cancel/cancelled/my subscription, log in/logged in/from another device, back up/backed up/my
        photos, recover/recovered/my account""",
                 "price per user, storage limit, trial period, longest file name, supported version"),
    "home": ("""meter: running backwards, wrong, not read this year, broken
        heating: cold, too loud, leaking, on all night
        claim: rejected, still open, paid only in part
        appointment: moved, forgotten, with the wrong doctor, too early
        prescription: lost, expired, for another patient
        book: overdue, lost, damaged, lent to someone else""",
             """move/moved/to a new flat, report/reported/a burst pipe, insure/insured/my bicycle, book/booked/an appointment,
        renew/renewed/a prescription, change/changed/my doctor, renew/renewed/a library book, pay/paid/in instalments, read/
        read/the meter, register/registered/my child, see/seen/the test results, cover/covered/a broken window""",
             "monthly payment, excess, waiting time, late fee, price per kilowatt hour, opening hours"),
}
WHEN = """yesterday|last week|this morning|two days ago|on Monday|a month ago|an hour ago|while I was abroad|last night|for the
    third time|today|over the weekend|after the update|before my holiday""".replace("\n    ", " ").split("|")
WHERE = """in France|in Germany|in the US|in Japan|in India|abroad|online|at the weekend|in the app|by phone|at the counter|from
    my computer|outside the EU|in another currency|without a passport|without an account""".replace("\n    ", " ").split("|")
OPENING = ["Hi, ", "Hello, ", "Please help, ", "Excuse me, ", "Good morning, ", "I have a question: ", "Sorry, but ", "Quick one: "]
CLOSING = [" Please help.", " What now?", " What can I do?", " Thanks.", " Can you check?", " Is that normal?", " Why?",
           " What should I do?", " How do I fix this?", " I am quite angry.", " Can you tell me why?", " This is urgent!"]
WANTS = ["How do I {do}", "How can I {do}", "Can I {do}", "Where can I {do}", "I want to {do}", "I would like to {do}",
         "I need to {do}", "Is it possible to {do}", "What do I need to {do}", "Tell me how to {do}", "Why can't I {do}",
         "How long does it take to {do}", "What does it cost to {do}", "Is there a fee if I {do}", "Am I allowed to {do}",
         "I tried to {do}", "I am not able to {do}", "Could you {do} for me", "What happens when I {do}", "Who can {do}",
         "Do I have to {do}", "Can someone else {do} for me", "When may I {do}", "I forgot to {do}", "Can my brother {do}",
         "What is the easiest way to {do}", "I do not want to {do}", "I have already {done}", "I have not {done} yet",
         "Have you {done}", "Which documents are needed to {do}", "How often can I {do}", "Will it hurt if I {do}"]
WRONG = ["My {thing} is {wrong}", "My {thing} was {wrong}", "Why is my {thing} {wrong}", "Why was my {thing} {wrong}",
         "What do I do if my {thing} is {wrong}", "It seems that my {thing} is {wrong}", "I think my {thing} is {wrong}",
         "The {thing} is {wrong} again", "The {thing} that I got is {wrong}", "Is my {thing} {wrong}",
         "How come the {thing} is {wrong}", "Who is to blame when a {thing} is {wrong}", "My {thing} is not {wrong}, is it",
         "I noticed that my {thing} was {wrong}", "Somebody told me that my {thing} is {wrong}", "My {thing} is still {wrong}"]
TAKES = ["What is the {what}", "How high is the {what}", "Is there a {what}", "Why did the {what} change", "I do not see the {what}",
         "Can the {what} be lowered", "Where do I find the {what}", "The {what} is not what you promised", "Who sets the {what}"]
ASKS = ("How", "Can", "Where", "Is", "What", "Why", "Am", "Could", "Who", "Do", "When", "Have", "Which", "Will")


def parsed(trade):
    problems, wishes, terms = TRADES[trade]
    one_line = " ".join(wishes.split()).replace("/ ", "/")
    lines = [line.strip().partition(": ") for line in problems.splitlines()]
    return ([(thing, wrong) for thing, _, all_wrong in lines for wrong in all_wrong.split(", ")],
            [wish.split("/") for wish in one_line.split(", ")], terms.split(", "))


def question(draw, trade, kind):
    """A sentence of that kind, and its parts, so that the next may say the same in other words."""
    problems, wishes, terms = trade
    if kind == 0:
        thing, wrong = draw.choice(problems)
        return WRONG, {"thing": thing, "wrong": wrong}
    if kind == 1:
        verb, past, rest = draw.choice(wishes)
        return WANTS, {"do": f"{verb} {rest}", "done": f"{past} {rest}"}
    return TAKES, {"what": draw.choice(terms)}


def told(draw, frames, words):
    text = draw.choice(frames).format(**words)
    if draw.random() < 0.3:
        text += f" {draw.choice(WHEN if frames is WRONG else WHERE)}"
    end = "?" if text.startswith(ASKS) or text.endswith("is it") else "."
    text += end if draw.random() < 0.85 else ""
    if draw.random() < 0.12:
        opening = draw.choice(OPENING)
        text = opening + (text if text[:2] in ("I ", "PI") else text[0].lower() + text[1:])
    return text + (draw.choice(CLOSING) if frames is WRONG and draw.random() < 0.2 and text[-1] in ".?" else "")


def sentences(_root=None, count=None, seed=2):
    """Groups that ask the same in several ways, each followed by one on a different subject."""
    draw, made = random.Random(seed), 0
    count, trades = count or COUNT, [parsed(name) for name in TRADES]
    while made < count:
        trade, kind = draw.choice(trades), draw.choice([0, 0, 1, 1, 1, 2])
        for _ in range(2):
            frames, words = question(draw, trade, kind)
            for _ in range(draw.randint(1, 3)):
                yield told(draw, frames, words)
                made += 1
