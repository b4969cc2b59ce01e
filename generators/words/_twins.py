"""Words whose letters also make a word that is not in our vocabulary.

Of the common words of five to eight letters and of all of nine to twelve: those with an anagram
among the words up to level 95 of SCOWL, the list that the vocabulary comes from. Whoever
unscrambles one of them may find a word that we do not know.
"""

_WORDS = """
abuse accidents accounted accurate accusation across acted acting action actions activated
activates activating addictive adding administer admit admits advances adventure advertise advise
advises aesthetic affair affairs after again against agree agrees ahead aimed alarm algorithm
algorithms alias alignment alive allocated allocation allows almost alone along already alter
alterations altered altering alters among amount amounts amuse amused amusing analog ancestors
anecdotes angle angry animal announces annoy annoyed annoys another answer answers apart apologies
apparent appeal appealing appears apple applies appreciated archiving areas argue argued argues
argument arguments arise arises around arresting arrive arrives arrogance article articles artist
aside asked asking asleep aspect asserting assertion assessing assistant assorting assumed assure
assured assures atmosphere attach attend attended attention attentions attitude attraction avoids
awful bacterium badly based bases basically basing basis bearing bears became because began begin
begins being believers belonging below binary bites bitten bizarre blame board boards bodies books
borne bother bothering bothers brackets branches breach break breakfast breaking breaks breathing
bridge brief buffer buffering build builds bulletin buried buries burying calls campaign cannot
capable capital captain cares carried carries cases cassette catches categories category causality
caused causes causing cease celebrate celebrated celebrates censoring center centering centuries
certain chain chair changed changeover changes changing chaos chapter charge charges cheap cheaper
chemical choice choose chose chosen circle citizen claim claimed claiming claims classes clean
clear cleared clearer clearest clearing clears close closed closer closes closest codes collapse
collapsed collapses collapsing color coming commissioned companies company compare compared
compares competing competitor compiler compilers complain complains complaint complicate
complicates compressed concentrate concentrates conditioned configures congested connect connected
connects conservative considerate considered considers consist consistent conspiracy constrain
constrains constructed contain contained container contains continual continue continued continues
continuing converter coordinate coordinates copied corners costing costs counter countries counts
couple course courses court cover covers crashed crashes crashing create created creates creating
creation credit crisp crisps criterion cursor customer customers damage danger dangerous dates
dealing deals dealt death decent decide decides decision declaration declare declares deduce
deductions deems deeply default define degradation degrading delay delete deletes deliver delivers
demand demanding demands departure depends depressing depression deranging derive derives deriving
describe description descriptions descriptive deserting design designed designers designing
designs desirable desire desired desiring desperate destining destroy detail details detect
detects determine determines developer developers devote dictionary differ dimensional dinner
direct directed directing direction directions directive directives directly director directories
directors disagreement disappear disaster discharge discount discover discretion dishonest
distance distribute divide doing domain dominated dominates donations doors double downwards dozen
dozens drawing draws dream drive driven drives drops drove dubious duplicates during dying earlier
earliest early earth easier easily eaten eating economic economics economies economy edited
editing edition editor editorial editors edits education election elections electoral electric
element elements elevator elevators emphasis emphasizing employers emulation enable enables ending
enemy engineers enlarging enormous enormously ensure ensured enter enters entertain entertained
entertaining entertains enthusiastic entire entirely entitle entitles entitling entity entrance
entries entry equal eraser escape establish estimate estimated estimates estimating estimation
evaluated evaluating evened evening evenings evens events every examination example exception
exist exists expands experts extend extra factories failed fails false fantasies faster fastest
fatal father faults featuring feeding feeling feels fewest fictional field fields filed files
final fingers finished first fiscal fitted fitting fixed flash flied flies float floats flying
footnotes forces forecasts foreigners formed forth forward found frame friend friends fries
functioned gained gains games garden gasoline gather gathering general generate generated
generates generating generation generations glass going goods graduation grand granted grants
graphical great greater greatest greatly green ground guard guessing guide habit habits handed
handle handles hands handy hanged hangs hardest header heads heard hears heart heavy helps herself
hides highest himself hints hitting holds holes holiday holidays honest hoped hopes horizontal
horse horses hospitals hotel hours however human hypocrite ideal idealistic ideas identical
identifiers identifies ignorance ignore ignored ignores ignoring images impact impersonal imply
imposes impresses impressions impressive inches include includes incoherent incomplete
inconsistent incorporate incorporated incorporates increase increased increases index indicate
indicates indicators indirectly indulging industrial industries inform informed ingredients
initiated inner input inputs inputted insert inserted inserting inserts inside insisted inspected
inspection installed instance instances instead instrument insurance integer integers integral
integrate integrates intend intended intending intends interest interests interfering interpreter
intervened intervening intervention intolerance intrinsic introduces invaluable invent invites
irritates isolate isolated isolating issued issues items itself keeping keeps kindly kinds knows
labeled labor lacked lacking lacks ladies landed landing language languages large largely lasts
later latest latter layout leach leaded leader leadership leading leads learn learned learns least
leave leaved leaves leaving lectures lecturing legal legendary lesson lessons letter letters
letting liability liable libraries licensing liked likewise limitation limited limits linear lines
linked linking links listed listen listening listing lists little lived lives loading loads local
location locked locking locks logged longer longest looks loose loses losing lower lowest lying
machinery magic mainly maintain maintained maintains major makes manage managed manager manages
mandatory manual marginally marked marks massive master matter matters maybe meaning means meant
measure measures measuring mechanics media medical mediums meeting meetings meets merely merit
merits message messages metal method middle miles military minded ministers minor minute minutes
misdirect misdirected misdirecting misdirects miserable misfortune mislead misleading misleads
misled misreading missed misses mistaken model modelings models modern modification modify moment
money monitor moral morning mornings mother music mysteries naive named namely names narrative
nasty nation national nature nearby nearer nearest nearly necessity needing needs negative neither
never nicer nicest noise noisy nominated nominates normality north nostalgia noted notes notice
noticed notices notify noting nowhere numerical obscure observe observes obstructed obtain obtains
occurs offenders offer offers office offices older oldest omits opened opens operates operating
operations operator opposing oppresses option optional options orchestra orchestral orders
organize organized orientate origin originals originates other others outer outlining output
outraging overall overheads overpriced overrides owing owner owners ownership pages pairs paper
papers parent parenthesis parliament partial particles parties partitioned partly parts party
passed passing patch pattern patterns pedestrian penalties perception perfect perfection perfectly
perform performed performing performs perhaps period permissible permit permits persistent person
personal personality perspective petrol phase philosophies phone phrase phrases picks picture
pictures pieces place places placing plain plane planet plastered plastic playing plays pleasant
please pleased pleases pleasing plenty plots point pointless points policies portrayed position
positioned posted posting potential pounds power powerful powers practice preaching precaution
precedent precise precision predecessor predictions preparation prepare prepared prepares
prescribe present presentation presented presenting presently presents preserved preserving
president pressed presses pressing pressure presuming pretentious prevention previewer previous
previously price prices printed printer printers printouts prints priorities privileged
proceedings produce promise promises proper properties propose proposes protest protocols provide
provides psychologist publisher punishment purpose purposes pushing quickest quietly quits quote
quotes radio raise raised raises raising random range rapid rapidly rarely rates rationale
rationally reach reaches react reaction reactionary reactions reader readers readily reading reads
ready realistic reality realization realizes really reason reasons recall recalling received
recent reception recipient recollection recommend recommends reconsider record records recover
recovered recovers recruited rectified rectifies rectifying recursion redefines reduced reduces
reductions refer referencing referred refers reflected refused refusing regard regarded regarding
regards region registered regulation reinstated reinstates reinstating relate related relates
relating relation relations relative relatives released releasing relevant relieving religion
religions relocation reluctant remain remained remains remarking remind reminding reminds remote
remotely removal remove removes rendition repair repeat repeated repeating repeats repetition
replace replaced replaces replacing replied replies reply report reported reporting reports
represent represents reproduced reproducing reproduction repulsive request requests require
requires rereading research reserve reserved reserves resetting resident residents resistance
resolution resort resorting resource resources respect respected respecting respects respond
responded response restart restarting restored restoring restrained restrains restrict restricted
result resulted resulting results retain return returned returns reveal revealed revealing reveals
revelation reverse revolting rewriting right rights rooms route routine rules saddening safeguards
safely safer safest safety saint sales salvation sample satellite saved saves scale scenarios
scene scheme school score scores scrap screen screens search season second seconding secondly
secret secretaries section secure seeing seeking seeks seems selected selection selective selling
seminar sends senior sensation sense sentenced sentences sentimental separate separated separates
separating separation sequential serial series serve served server serves service services serving
session settle settling seven several severe shame shape share shared shares sharing sharp sheet
shell shoot shopping shops short shortage shortened shorter shows shuts shutting sight signal
signals signature signed signs silly simple simpler simplest simplistic simply simulates since
single sites sizes skill sleep slower slowest small smile smooth social software solid solve
solves solving somehow sooner sorted sorting sorts sought sound sounded sounding source sources
south space spaces spare speak speaker speakers special specialist speculate speculation speech
speed spell spend spent spirit spite split spoke sponsored spread spreading spreads stable stage
stages staggered staircase stand start started starting startling state statement statements
states statistic status staying stays steal stick sticking still stimulate stimulation stock stone
stones stopping storage store stored stores storing story strange stream street strike strikes
striking stripping strongest strongly stuck student studied studies stuff stumbling style subtle
suffer sugar suitable suited suits summaries summer supervisor supporter supporters surprise
susceptible suspect suspend swallowing switching symbol symmetric sympathies symphonies syndicate
system table tables tailoring takes talks tanks tapes target tasks taste tasteless teach teacher
teaches technical teenagers teeth telephone telephones television telling tells temporarily tends
tentative tentatively terminal terminals terminate terminated terminates terms tested tests thank
their theological there thereabouts these things third those thousand threat threatens three threw
throughout throw throwing throws tickets timed times timing titles today tolerance tolerated
tolerating tomorrow tonight topic topics touch touches touching trace track tracks train trained
trains transaction transient transition translate transmits traps trash travel travelings treat
treated treating treats trees trial triangles tried tries trivial trouble truly truncated trust
trusted trusting trusts truth trying turned turns types ultimate unable uncertain unclear under
undergoing undergone underlies underlying underneath understand undertakes unexpected unite units
unnatural unpleasant unrealistic unrelated until update upset upsets upwards usage users usual
vacation valid value values varied varies various vector vegetarian verification versatile version
video views visit votes waited waits walks wandering wants warehouse warned warns waste wasted
wastes wasting water wears weather weird wheel wheels where whichever white whoever whole whose
widely wider widest wills winter wishes within without women wonder wonderful wonders wooden words
worker workers working worried worse worst worth worthy write writes writing written wrote years
yours
"""
TWINNED = frozenset(_WORDS.split())
