"""Contact: a landing from the high bar, dominoes, a block that rocks, and a coin that rolls."""
