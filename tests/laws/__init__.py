"""Laws that hold in every deal, checked on random play."""
