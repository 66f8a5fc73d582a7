"""By which rules were these games played? The smallest change of a known edition, learned from games."""

from pwtool.learning.learn import Learner, NothingToLearn
from pwtool.learning.learned import Change, Explanation, Learned, Partial, Slip, Suspicion
from pwtool.learning.states import Prices

__all__ = ["Change", "Explanation", "Learned", "Learner", "NothingToLearn", "Partial", "Prices", "Slip", "Suspicion"]
