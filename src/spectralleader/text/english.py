"""English stop words: words that hold sentences together and say little of their subject.

Lower case, and cut where `Words` cuts: "don't" leaves "don", "we'll" leaves "ll". "won" is not
among them, because who won is news more often than "won't" is.
"""

PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
she her hers herself it its itself they them their theirs themselves one ones oneself who whom whose
which what whoever whomever whatever whichever that this these those each every either neither both
all any some none such other others another same own anybody anyone anything everybody everyone
everything nobody nothing somebody someone something
"""

VERBS = """
am is are was were be been being have has had having do does did doing done can could may might must
shall should will would ought cannot let lets get gets got getting gotten
"""

JOINING_WORDS = """
a an the and or but nor so yet if unless until till while whilst whereas because since as than then
though although whether lest about above across after against along amid among amongst around at
before behind below beneath beside besides between beyond by despite down during except for from in
inside into like near of off on onto out outside over past per round through throughout to toward
towards under underneath unlike up upon via versus vs with within without
"""

ADVERBS = """
not no yes only just also too very quite rather almost already always often never ever sometimes
somewhere somehow anywhere anyhow anyway everywhere nowhere here there where when why how whenever
wherever hence thus therefore thereby therein hereby herein however moreover furthermore otherwise
else instead again once now still even more most much many few fewer less least several enough
indeed perhaps maybe well further away back
"""

LEFT_OF_CONTRACTIONS = """
ll ve re don doesn didn isn aren wasn weren hasn haven hadn couldn wouldn shouldn mustn needn mightn
daren oughtn shan ain im ive id youre youve dont doesnt didnt isnt arent wasnt werent hasnt havent
cant couldnt wouldnt shouldnt wont thats theres theyre
"""

LEFT_OF_MARKUP = "amp"  # of an escaped ampersand

ENGLISH = frozenset(
    " ".join(
        (PRONOUNS, VERBS, JOINING_WORDS, ADVERBS, LEFT_OF_CONTRACTIONS, LEFT_OF_MARKUP)
    ).split()
)
