------------------------------- MODULE Quorum -------------------------------
(***************************************************************************)
(* One key, kept by several servers that know nothing of each other, of    *)
(* which a majority decides.  See README.md for what is modelled, what is  *)
(* not, and how to run it.                                                 *)
(*                                                                         *)
(* Time is counted in ticks, as in Lock.tla: nobody is forced to do        *)
(* anything before the next one.  Who wants the key is an owner id; what   *)
(* instance it belongs to makes no difference here.                        *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Nodes,        \* the servers
  Owners,       \* the owner ids that want the key
  Ttl,          \* for how long a node keeps a key that nobody renews
  Margin,       \* what an owner keeps back of the ttl
  Early,        \* by how much a node may forget a key too early, as its clock is fast; safe up to Margin
  Delay,        \* for how long a command can be on its way, and its reply
  Block,        \* how many fencing tokens one acquisition reserves
  TokensPerTick,\* how far the clock of a node, counted in tokens, goes in a tick
  Skew,         \* by how many ticks the clocks of the nodes may differ
  MaxFence,     \* the largest token that a node has handed out to begin with
  Abstain,      \* for how long a node that lost its memory grants nothing
  MaxTime,      \* when the model ends
  MaxRepeats,   \* how often a command may be executed once more
  MaxAgain,     \* how often a holder may acquire once more by the same owner id
  MaxRenewals,  \* how many renewals there may be
  MaxRepairs,   \* how many repairs there may be
  MaxKeyLosses, \* how often a node may lose the key alone
  MaxLosses,    \* how often a node may lose its memory
  Bug           \* "none", or what is wrong with the protocol: see Bugs

Bugs == {"none", "no raise", "raise on fewer", "raise to the first token", "raise without owner check",
         "raise of the acquisition before",
         "repaired node counts", "repaired node counts next time", "late vote counts", "renewal by fewer", "acquired by fewer",
         "count from reply", "count from raise", "release without owner check", "renew what was given up",
         "late repair is given back"}

ASSUME Bug \in Bugs

VARIABLES
  now,   \* real time
  ahead, \* by how many ticks the clock of each node is ahead
  node,  \* what each node has
  own,   \* what each owner id knows
  wire,  \* the command from each owner id to each node that is on its way
  used,  \* how many of the things there were that are limited
  ghost  \* what nobody can see: for the invariants only

vars == <<now, ahead, node, own, wire, used, ghost>>

-----------------------------------------------------------------------------

N == Cardinality(Nodes)
Q == (N \div 2) + 1

Max(a, b) == IF a >= b THEN a ELSE b
Largest(S) == CHOOSE a \in S : \A b \in S : a >= b

Nobody == "nobody"
Silence == [op |-> "none", sent |-> 0, arg |-> 0]

New == [state |-> "new",
        sent |-> 0,      \* when the acquire commands were sent, or those of the renewal under way
        deadline |-> 0,
        votes |-> [i \in Nodes |-> 0], \* the first token of each node that granted the key
        raised |-> {},   \* nodes whose fence is known to be at the last token
        token |-> 0,     \* the first token of the lease
        mine |-> {},     \* nodes that are known to have granted the key, and not known to have lost it
        sure |-> {},     \* those of them that nobody has had a later lease from
        asked |-> {},    \* those that were known when the renewal under way was sent
        yes |-> {},      \* those that confirmed it
        renewing |-> FALSE,
        seen |-> 0,      \* the largest token of a lease when the renewal under way was sent
        owed |-> {},     \* nodes that are asked to give back a repair of the hold before
        gone |-> 0]      \* when it was given up

\* What isValid() answers when it is called now.
SaysHeld(o) == own[o].state = "held" /\ now < own[o].deadline

Wanted(o) == own[o].state \in {"voting", "raising", "held"}

Init ==
  /\ now = 0
  /\ ahead \in [Nodes -> 0..Skew]
  /\ \E f \in [Nodes -> 0..MaxFence] :
       node = [i \in Nodes |-> [owner |-> Nobody, until |-> 0, fence |-> f[i], quiet |-> 0]]
  /\ own = [o \in Owners |-> New]
  /\ wire = [o \in Owners |-> [i \in Nodes |-> Silence]]
  /\ used = [repeats |-> 0, again |-> 0, renewals |-> 0, repairs |-> 0, keyLosses |-> 0, losses |-> 0]
  /\ ghost = [lastToken |-> 0,   \* the last token of the last lease
              tokens |-> {},     \* those of all
              breaches |-> {}]   \* which rules were broken

-----------------------------------------------------------------------------
(* Owners                                                                  *)

Command(op, arg) == [op |-> op, sent |-> now, arg |-> arg]

\* Ask all nodes at once.
Vote(o) ==
  /\ own[o].state = "new"
  /\ own' = [own EXCEPT ![o].state = "voting", ![o].sent = now]
  /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |-> Command("acquire", 0)]]
  /\ UNCHANGED <<now, ahead, node, used, ghost>>

\* The holder is done, others in the JVM wait, and the hold is not good enough for them: ask once more
\* by the same owner id.  What is on its way stays so.  A repair among it is no concern of the hold that it
\* was for any more; to give it back behind the new vote would take that vote back.
VoteAgain(o) ==
  /\ SaysHeld(o)
  /\ used.again < MaxAgain
  /\ used' = [used EXCEPT !.again = @ + 1]
  /\ own' = [own EXCEPT ![o] = [New EXCEPT !.state = "voting", !.sent = now,
                                            !.owed = {i \in Nodes : wire[o][i].op = "acquire" /\ wire[o][i].arg = 1}]]
  /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |-> IF wire[o][i].op = "none" THEN Command("acquire", 0) ELSE @[i]]]
  /\ UNCHANGED <<now, ahead, node, ghost>>

Voters(o) == {i \in Nodes : own[o].votes[i] > 0}
Enough == IF Bug = "acquired by fewer" THEN Q - 1 ELSE Q
Last(token) == IF Bug = "raise to the first token" THEN token ELSE token + Block - 1

\* A majority granted the key: the tokens begin at the largest, and the others are to follow.
Raise(o) ==
  /\ own[o].state = "voting"
  /\ Cardinality(Voters(o)) >= Enough
  /\ LET token == Largest({own[o].votes[i] : i \in Nodes})
     IN /\ own' = [own EXCEPT ![o].state = "raising", ![o].token = token,
                              ![o].sent = IF Bug = "count from raise" THEN now ELSE @,
                              ![o].sure = Voters(o),
                              ![o].raised = IF Bug = "no raise" THEN Voters(o)
                                            ELSE {i \in Voters(o) : own[o].votes[i] = token}]
        /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |->
                      IF i \in Voters(o) /\ own[o].votes[i] < token /\ Bug # "no raise" THEN Command("raise", Last(token))
                      ELSE @[i]]]
  /\ UNCHANGED <<now, ahead, node, used, ghost>>

\* A majority is at the last token, and there is time left.
Hold(o) ==
  /\ own[o].state = "raising"
  /\ Cardinality(own[o].raised) >= (IF Bug = "raise on fewer" THEN Q - 1 ELSE Enough)
  /\ LET deadline == (IF Bug = "count from reply" THEN now ELSE own[o].sent) + Ttl - Margin
     IN /\ now < deadline
        /\ own' = [own EXCEPT ![o].state = "held", ![o].deadline = deadline,
                              ![o].votes = New.votes, ![o].raised = {}, ![o].sent = 0]
  /\ ghost' = [ghost EXCEPT !.lastToken = own[o].token + Block - 1,
                            !.tokens = @ \cup own[o].token..(own[o].token + Block - 1),
                            !.breaches = @ \cup (IF own[o].token > ghost.lastToken THEN {} ELSE {"order"})
                                           \cup (IF own[o].token \in ghost.tokens THEN {"twice"} ELSE {})]
  /\ UNCHANGED <<now, ahead, node, wire, used>>

\* Ask all nodes whether they still have the key.  What is on its way to one of them stays so.
Renew(o) ==
  /\ SaysHeld(o) \/ (Bug = "renew what was given up" /\ own[o].state = "gone")
  /\ used.renewals < MaxRenewals
  /\ used' = [used EXCEPT !.renewals = @ + 1]
  /\ own' = [own EXCEPT ![o].renewing = TRUE, ![o].sent = now, ![o].asked = own[o].mine, ![o].yes = {},
                        ![o].seen = Largest(ghost.tokens \cup {0})]
  /\ wire' = [wire EXCEPT ![o] = [i \in Nodes |->
                IF wire[o][i].op \in {"none", "renew"} THEN Command("renew", 0) ELSE @[i]]]
  /\ UNCHANGED <<now, ahead, node, ghost>>

Confirming(o) ==
  CASE Bug \in {"repaired node counts", "repaired node counts next time"} -> own[o].yes
    [] OTHER -> own[o].yes \cap own[o].sure

\* A majority has the key, and has had it since before the last renewal that counted.
Renewed(o) ==
  /\ SaysHeld(o)
  /\ own[o].renewing
  /\ Cardinality(Confirming(o)) >= (IF Bug = "renewal by fewer" THEN Q - 1 ELSE Q)
  /\ own' = [own EXCEPT ![o].renewing = FALSE, ![o].deadline = Max(@, own[o].sent + Ttl - Margin),
                        ![o].sure = @ \cup (own[o].asked \cap own[o].mine), ![o].yes = {}, ![o].asked = {},
                        ![o].sent = 0, ![o].seen = 0]
  /\ ghost' = [ghost EXCEPT !.breaches = IF own[o].seen <= Last(own[o].token) THEN @ ELSE @ \cup {"overtaken"}]
  /\ UNCHANGED <<now, ahead, node, wire, used>>

\* Take the key at a node that does not have it; also to ask once more who was busy, before there is a
\* majority.
Repair(o, i) ==
  /\ SaysHeld(o) \/ own[o].state = "voting"
  /\ used.repairs < MaxRepairs
  /\ i \notin own[o].mine
  /\ wire[o][i].op = "none"
  /\ used' = [used EXCEPT !.repairs = @ + 1]
  /\ wire' = [wire EXCEPT ![o][i] = Command("acquire", IF Bug = "late repair is given back" THEN 1 ELSE 0)]
  /\ UNCHANGED <<now, ahead, node, own, ghost>>

\* The lease is closed or lost, the process is killed, or the time is over: nobody wants the owner id
\* any more, and from now on it may be released at every node, whenever and how often.
GiveUp(o) ==
  /\ Wanted(o)
  /\ own' = [own EXCEPT ![o] = [New EXCEPT !.state = "gone", !.gone = now]]
  /\ UNCHANGED <<now, ahead, node, wire, used, ghost>>

-----------------------------------------------------------------------------
(* Nodes                                                                   *)

Clock(i) == (now + ahead[i]) * TokensPerTick

\* A command is executed.  Its reply arrives at once, or never: what a late one would change, a decision
\* that comes late does.  Or the command is still on its way, for a client that repeats it.
Fates == {"answered", "unanswered", "again"}

Arrives(o, i, op, fate) ==
  /\ wire[o][i].op = op
  /\ IF fate = "again" THEN used.repeats < MaxRepeats /\ used' = [used EXCEPT !.repeats = @ + 1] /\ wire' = wire
                       ELSE used' = used /\ wire' = [wire EXCEPT ![o][i] = Silence]
  /\ fate = "answered" => Wanted(o)
  /\ UNCHANGED <<now, ahead, ghost>>

\* A node takes the key for an owner id, if it is free or that one's already.  Otherwise, and while it
\* abstains, it has no vote to give.  A vote that comes when the tokens are known already counts from the
\* renewal after the next on; but it is as good as one that came in time if no larger token was drawn there.
Grant(o, i, fate) ==
  /\ Arrives(o, i, "acquire", fate)
  /\ IF node[i].owner \in {Nobody, o} /\ now >= node[i].quiet
     THEN LET first == Max(node[i].fence + 1, Clock(i))
          IN /\ node' = [node EXCEPT ![i].owner = o, ![i].until = now + Ttl, ![i].fence = first + Block - 1]
             /\ own' = IF fate # "answered" THEN own
                       ELSE [own EXCEPT ![o].mine = @ \cup {i},
                                        ![o].sure = IF own[o].state \in {"raising", "held"} /\ (first <= Last(own[o].token) \/ Bug = "late vote counts")
                                                    THEN @ \cup {i} ELSE @,
                                        ![o].votes = IF own[o].state = "voting" THEN [@ EXCEPT ![i] = first] ELSE @,
                                        ![o].yes = IF Bug = "repaired node counts" THEN @ \cup {i} ELSE @]
     ELSE /\ fate = "unanswered"
          /\ UNCHANGED <<node, own>>

\* A node lets its fence follow, if the key is still this owner's.
Follow(o, i, fate) ==
  /\ Arrives(o, i, "raise", fate)
  /\ IF node[i].owner = o \/ Bug = "raise without owner check"
     THEN /\ node' = [node EXCEPT ![i].fence = Max(@, wire[o][i].arg)]
          /\ own' = IF /\ fate = "answered" /\ own[o].state = "raising"
                        /\ (wire[o][i].arg = Last(own[o].token) \/ Bug = "raise of the acquisition before")
                     THEN [own EXCEPT ![o].raised = @ \cup {i}] ELSE own
     ELSE /\ fate = "unanswered"
          /\ UNCHANGED <<node, own>>

\* A node sets the ttl anew, if the key is still this owner's.
Extend(o, i, fate) ==
  /\ fate # "again"
  /\ Arrives(o, i, "renew", fate)
  /\ IF node[i].owner = o
     THEN /\ node' = [node EXCEPT ![i].until = now + Ttl]
          /\ own' = IF fate = "answered" /\ own[o].renewing /\ wire[o][i].sent = own[o].sent
                    THEN [own EXCEPT ![o].yes = @ \cup {i}] ELSE own
     ELSE /\ node' = node
          /\ own' = IF fate = "answered" THEN [own EXCEPT ![o].mine = @ \ {i}, ![o].sure = @ \ {i}] ELSE own

Without(n) == [n EXCEPT !.owner = Nobody, !.until = 0]

\* A release arrives: it is on its way from when its owner id was given up, for ever.
Release(o, i) ==
  /\ own[o].state = "gone"
  /\ node[i].owner # Nobody
  /\ node[i].owner = o \/ Bug = "release without owner check"
  /\ node' = [node EXCEPT ![i] = Without(@)]
  /\ UNCHANGED <<now, ahead, own, wire, used, ghost>>

\* The hold that a repair was for is over when the repair is answered, so it is given back, although the
\* same owner id counts on the node again.
GiveRepairBack(o, i) ==
  /\ i \in own[o].owed
  /\ wire[o][i].op # "acquire"
  /\ node[i].owner = o
  /\ node' = [node EXCEPT ![i] = Without(@)]
  /\ own' = [own EXCEPT ![o].owed = @ \ {i}]
  /\ UNCHANGED <<now, ahead, wire, used, ghost>>

\* The ttl is over by the clock of the node.
Expire(i) ==
  /\ node[i].owner # Nobody
  /\ now >= node[i].until - Early
  /\ node' = [node EXCEPT ![i] = Without(@)]
  /\ UNCHANGED <<now, ahead, own, wire, used, ghost>>

\* The key is evicted or deleted.
LoseKey(i) ==
  /\ used.keyLosses < MaxKeyLosses
  /\ node[i].owner # Nobody
  /\ used' = [used EXCEPT !.keyLosses = @ + 1]
  /\ node' = [node EXCEPT ![i] = Without(@)]
  /\ UNCHANGED <<now, ahead, own, wire, ghost>>

\* The node is restarted without its memory.
Lose(i) ==
  /\ used.losses < MaxLosses
  /\ used' = [used EXCEPT !.losses = @ + 1]
  /\ node' = [node EXCEPT ![i] = [Without(@) EXCEPT !.fence = 0, !.quiet = now + Abstain]]
  /\ UNCHANGED <<now, ahead, own, wire, ghost>>

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ node' = [i \in Nodes |-> LET n == IF node[i].until <= now' THEN Without(node[i]) ELSE node[i]
                              IN IF n.quiet <= now' THEN [n EXCEPT !.quiet = 0] ELSE n]
  /\ wire' = [o \in Owners |-> [i \in Nodes |-> IF now' - wire[o][i].sent > Delay THEN Silence ELSE wire[o][i]]]
  /\ UNCHANGED <<ahead, own, used, ghost>>

Next ==
  \/ Tick
  \/ \E o \in Owners :
       \/ Vote(o) \/ VoteAgain(o) \/ Raise(o) \/ Hold(o) \/ Renew(o) \/ Renewed(o) \/ GiveUp(o)
       \/ \E i \in Nodes :
            \/ Repair(o, i) \/ Release(o, i) \/ GiveRepairBack(o, i)
            \/ \E fate \in Fates : Grant(o, i, fate) \/ Follow(o, i, fate) \/ Extend(o, i, fate)
  \/ \E i \in Nodes : Expire(i) \/ LoseKey(i) \/ Lose(i)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Nodes) \cup Permutations(Owners)

-----------------------------------------------------------------------------
(* What must hold                                                          *)

TypeOK ==
  /\ now \in 0..MaxTime
  /\ \A i \in Nodes : node[i].owner \in Owners \cup {Nobody} /\ (node[i].owner # Nobody => node[i].until > now)
  /\ \A o \in Owners : /\ own[o].state \in {"new", "voting", "raising", "held", "gone"}
                       /\ own[o].sure \subseteq own[o].mine

\* No two owner ids are within their deadlines.
Exclusive == \A o, p \in Owners : SaysHeld(o) /\ SaysHeld(p) => o = p

\* Whoever is within its deadline has the key at a majority.
Backed == \A o \in Owners : SaysHeld(o) => Cardinality({i \in Nodes : node[i].owner = o}) >= Q

\* What it counts on is there: a majority of the nodes that it knows to have granted the key.
Counted == \A o \in Owners : SaysHeld(o) => Cardinality({i \in own[o].mine : node[i].owner = o}) >= Q

\* Each lease has larger tokens than every lease before.
TokensGrow == "order" \notin ghost.breaches

\* No token is handed out twice.
Distinct == "twice" \notin ghost.breaches

\* A renewal counts only if nobody had a lease with larger tokens when it was sent.
Unbroken == "overtaken" \notin ghost.breaches

\* A key that nobody wants is free a ttl after the last command for it could arrive.
NoOrphan ==
  \A i \in Nodes : node[i].owner # Nobody /\ own[node[i].owner].state = "gone" =>
    node[i].until <= own[node[i].owner].gone + Delay + Ttl

\* What is promised as long as no key is evicted or deleted, and as long as no node loses its memory either.
Promised ==
  /\ used.keyLosses = 0 => Exclusive /\ TokensGrow
  /\ used.keyLosses + used.losses = 0 => Backed /\ Counted

=============================================================================
